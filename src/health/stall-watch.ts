import { type Clock, STALL_MS } from '../clock.js';

const TICK_MS = 100;

/** Notices when our event loop stands still: answers lie unread meanwhile, and timers are late. Works from its making on. */
export class StallWatch {
  readonly #clock: Clock;
  #lastTickAt: number;
  #lastStallEndedAt = Number.NEGATIVE_INFINITY;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastTickAt = clock.monotonic();
    this.#tickLater();
  }

  /** Whether it stood still at any time since a moment, which is monotonic. */
  stalledSince(moment: number): boolean {
    // Timers that are late run in any order: a probe's may come before ours.
    this.#look();
    return this.#lastStallEndedAt > moment;
  }

  close(): void {
    this.#stopTimer();
  }

  #tickLater(): void {
    this.#stopTimer = this.#clock.after(TICK_MS, () => {
      this.#look();
      this.#lastTickAt = this.#clock.monotonic();
      this.#tickLater();
    });
  }

  #look(): void {
    const now = this.#clock.monotonic();
    if (now - this.#lastTickAt > STALL_MS) this.#lastStallEndedAt = now;
  }
}
