import type { Clock } from '../clock.js';

/** Calls back when nothing has happened for a while. However much happens, it holds one timer. */
export class QuietTime {
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #onQuiet: () => void;
  #since = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, quietMs: number, onQuiet: () => void) {
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#onQuiet = onQuiet;
  }

  /** Something happens now: the time begins anew. */
  restart(): void {
    this.#since = this.#clock.monotonic();
    if (this.#cancel === undefined) this.#wait(this.#quietMs);
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#cancel = undefined;
      const leftMs = this.#since + this.#quietMs - this.#clock.monotonic();
      if (leftMs > 0) this.#wait(leftMs);
      else this.#onQuiet();
    });
  }
}
