import type { Clock } from '../clock.js';

/** Probes that begin one by one wake the process up for each step of each, which costs more than twice as much. */
const BATCH_MS = 100;

/** Calls back for each of many things at its own time, those of a tenth of a second together. There is one timer. */
export class BatchTimer<Thing> {
  readonly #clock: Clock;
  readonly #ring: (thing: Thing) => void;
  readonly #batches = new Map<number, Set<Thing>>();
  readonly #batchOf = new Map<Thing, Set<Thing>>();
  /** The number of the batch whose time comes next. */
  #next: number;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, ring: (thing: Thing) => void) {
    this.#clock = clock;
    this.#ring = ring;
    this.#next = Math.ceil(clock.monotonic() / BATCH_MS);
    this.#wait();
  }

  /** In so many ms or a little later. Each thing has one time, the last that was set. */
  set(thing: Thing, delayMs: number): void {
    this.cancel(thing);
    const number = Math.max(this.#next, Math.ceil((this.#clock.monotonic() + delayMs) / BATCH_MS));
    const batch = this.#batches.get(number) ?? new Set();
    this.#batches.set(number, batch.add(thing));
    this.#batchOf.set(thing, batch);
  }

  cancel(thing: Thing): void {
    this.#batchOf.get(thing)?.delete(thing);
    this.#batchOf.delete(thing);
  }

  close(): void {
    this.#stopTimer();
  }

  #wait(): void {
    const delayMs = this.#next * BATCH_MS - this.#clock.monotonic();
    this.#stopTimer = this.#clock.after(Math.max(0, delayMs), () => this.#look());
  }

  #look(): void {
    while (this.#next * BATCH_MS <= this.#clock.monotonic()) {
      const batch = this.#batches.get(this.#next);
      this.#batches.delete(this.#next);
      this.#next += 1;
      for (const thing of batch ?? []) {
        this.#batchOf.delete(thing);
        this.#ring(thing);
      }
    }
    this.#wait();
  }
}
