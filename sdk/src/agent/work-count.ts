/** Counts what is under way, and tells when nothing is. */
export class WorkCount {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Something begins; the returned function ends it, once. */
  begin(): () => void {
    this.#running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running -= 1;
      if (this.#running > 0) return;
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    };
  }

  /** Resolves as soon as nothing is under way, after `limitMs` at the latest. */
  async idle(limitMs: number): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
