/** A pattern asks for more work than its check may take. */
export class PatternTooComplex extends Error {}

/**
 * What the check of patterns may still cost. It is counted in steps, of some 20 to 50 ns, and not in time, so
 * that a pattern gets the same verdict on every machine, however busy.
 */
export class PatternWork {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** @throws PatternTooComplex where that was too much. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new PatternTooComplex();
  }

  /** Lets a part of what is left be spent by `work`. */
  within<T>(steps: number, work: (part: PatternWork) => T): T {
    const given = Math.max(0, Math.min(steps, this.#left));
    const part = new PatternWork(given);
    try {
      return work(part);
    } finally {
      this.#left -= given - Math.max(0, part.#left);
    }
  }
}
