/**
 * One piece of work that several callers wait for. Each may leave by its own signal; when all have left, the
 * work's own signal is aborted.
 */
export class SharedWork<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #waiters = 0;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#result = work(this.#controller.signal);
    // Where all have left, nobody is there to hear of the failure.
    this.#result.catch(() => {});
  }

  /** True when nobody waits for the work any more, and so nobody may join it. */
  get abandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The work's result, or a rejection with the signal's reason when that comes first. */
  async wait(signal: AbortSignal | undefined): Promise<Result> {
    this.#waiters += 1;
    let stopListening = () => {};
    const left = new Promise<never>((_, reject) => {
      if (signal === undefined) return;
      const leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      stopListening = () => signal.removeEventListener('abort', leave);
    });
    try {
      return await (signal === undefined ? this.#result : Promise.race([this.#result, left]));
    } finally {
      stopListening();
      this.#waiters -= 1;
      if (this.#waiters === 0) this.#controller.abort();
    }
  }
}
