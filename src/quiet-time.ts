import type { Clock } from './clock.js';

/** Calls back when nothing has happened for a while. However much happens, it holds one timer, and mostly the same one. */
export class QuietTime {
  readonly #clock: Clock;
  readonly #onQuiet: (quietMs: number) => void;
  #quietMs: number;
  #since = 0;
  /** When the timer looks whether it is quiet; undefined where there is none. */
  #lookAt: number | undefined;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, quietMs: number, onQuiet: (quietMs: number) => void) {
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#onQuiet = onQuiet;
  }

  /** Something happens now: the time begins anew. `quietMs`: how long it is from now on; infinite: nothing is waited for. */
  restart(quietMs = this.#quietMs): void {
    this.#since = this.#clock.monotonic();
    this.allow(quietMs);
  }

  /** How long the time is that has begun already. */
  allow(quietMs: number): void {
    this.#quietMs = quietMs;
    this.#wait();
  }

  cancel(): void {
    this.#stopTimer();
    this.#lookAt = undefined;
  }

  /** A timer that looks in time already stays. */
  #wait(): void {
    const dueAt = this.#since + this.#quietMs;
    if (dueAt >= (this.#lookAt ?? Number.POSITIVE_INFINITY)) return;
    this.cancel();
    this.#lookAt = dueAt;
    this.#stopTimer = this.#clock.after(dueAt - this.#clock.monotonic(), () => {
      this.#lookAt = undefined;
      if (this.#since + this.#quietMs > this.#clock.monotonic()) this.#wait();
      else this.#onQuiet(this.#quietMs);
    });
  }
}
