import { setMaxListeners } from 'node:events';

/** Counts what is under way and, once shut, lets nothing new in. */
export class WorkGate {
  readonly #shutting = new AbortController();
  #running = 0;
  #idle: (() => void) | undefined;

  constructor() {
    // One for each stream.
    setMaxListeners(0, this.#shutting.signal);
  }

  get isShut(): boolean {
    return this.#shutting.signal.aborted;
  }

  /** Aborted once it is shut. */
  get shutting(): AbortSignal {
    return this.#shutting.signal;
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
    this.#shutting.abort();
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
