/**
 * One piece of work that several callers wait for. Each may leave by its own signal; when all have left, the
 * work's own signal is aborted.
 */
export class SharedWork<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #waiters = 0;
  #settled = false;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#result = work(this.#controller.signal);
    const settle = () => {
      this.#settled = true;
    };
    // Where all have left, nobody else is there to hear of a failure.
    this.#result.then(settle, settle);
  }

  /** True when nobody waits for the work any more, and so nobody may join it. */
  get abandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The work's result, or a rejection with the signal's reason when that comes first. */
  async wait(signal: AbortSignal | undefined): Promise<Result> {
    this.#waiters += 1;
    try {
      return await (signal === undefined ? this.#result : this.#resultUnlessAborted(signal));
    } finally {
      this.#waiters -= 1;
      if (this.#waiters === 0 && !this.#settled) this.#controller.abort();
    }
  }

  #resultUnlessAborted(signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      this.#result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }
}
