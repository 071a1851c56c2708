/** Counts what is under way and, once shut, lets nothing new in. */
export class WorkGate {
  #running = 0;
  #shut = false;
  #idle: (() => void) | undefined;

  get isShut(): boolean {
    return this.#shut;
  }

  /** Work begins; the returned function ends it. */
  enter(): () => void {
    this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    };
  }

  /** Lets nothing new in; resolves when nothing is under way any more. */
  shut(): Promise<void> {
    this.#shut = true;
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
