/** Places for probes that run, and the line of those who wait for one: whom a call could not reach goes first. */
export class ProbeLine<Waiting> {
  readonly #start: (waiting: Waiting) => void;
  readonly #urgent = new Set<Waiting>();
  readonly #due = new Set<Waiting>();
  #free: number;

  /** `start`: begins a probe, which has its place until `leave`. */
  constructor(places: number, start: (waiting: Waiting) => void) {
    this.#free = places;
    this.#start = start;
  }

  has(waiting: Waiting): boolean {
    return this.#urgent.has(waiting) || this.#due.has(waiting);
  }

  join(waiting: Waiting, urgent: boolean): void {
    if (urgent) this.#due.delete(waiting);
    (urgent ? this.#urgent : this.#due).add(waiting);
    this.#admit();
  }

  /** Goes away without having been started. */
  abandon(waiting: Waiting): void {
    this.#urgent.delete(waiting);
    this.#due.delete(waiting);
  }

  /** Gives a place back. */
  leave(): void {
    this.#free += 1;
    this.#admit();
  }

  #admit(): void {
    for (const line of [this.#urgent, this.#due]) {
      for (const next of line) {
        if (this.#free === 0) return;
        this.#free -= 1;
        line.delete(next);
        this.#start(next);
      }
    }
  }
}
