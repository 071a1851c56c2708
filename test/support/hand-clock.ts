import type { Clock } from '../../src/clock.js';

/** Time that passes only where a test lets it. */
export class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Map<() => void, { readonly delayMs: number; readonly at: number }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const due = () => callback();
    this.#timers.set(due, { delayMs, at: this.#now + delayMs });
    return () => {
      this.#timers.delete(due);
    };
  }

  /** The delays of the timers that run now. */
  get delays(): number[] {
    return [...this.#timers.values()].map(({ delayMs }) => delayMs);
  }

  /** Lets time pass; what is due then is called, once each. */
  pass(durationMs: number): void {
    this.#now += durationMs;
    for (const [due, { at }] of [...this.#timers]) {
      if (at > this.#now) continue;
      this.#timers.delete(due);
      due();
    }
  }
}
