import type { Clock } from '../clock.js';

/** Calls back for each of many things at its own time. However many they are, there is one timer. */
export class Alarm<Thing> {
  readonly #clock: Clock;
  readonly #ring: (thing: Thing) => void;
  readonly #times = new Map<Thing, number>();
  /** When the timer looks; infinite where there is none. */
  #lookAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, ring: (thing: Thing) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Monotonic time; undefined: not any more. Each thing has one time, the last that was set. */
  set(thing: Thing, atMs: number | undefined): void {
    if (atMs === undefined) {
      this.#times.delete(thing);
      return;
    }
    this.#times.set(thing, atMs);
    this.#lookAt(atMs);
  }

  #lookAt(atMs: number): void {
    if (atMs >= this.#lookAtMs) return;
    this.#stopTimer();
    this.#lookAtMs = atMs;
    this.#stopTimer = this.#clock.after(Math.max(0, atMs - this.#clock.monotonic()), () => this.#look());
  }

  #look(): void {
    this.#lookAtMs = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    const due = [...this.#times].filter(([, atMs]) => atMs <= now).map(([thing]) => thing);
    for (const thing of due) this.#times.delete(thing);
    for (const thing of due) this.#ring(thing);
    let next = Number.POSITIVE_INFINITY;
    for (const atMs of this.#times.values()) next = Math.min(next, atMs);
    this.#lookAt(next);
  }
}
