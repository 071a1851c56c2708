/** How many probes count. */
const SIZE = 20;

/** The same as data, for other replicas. */
export interface ProbeWindowSeen {
  readonly bits: number;
  readonly count: number;
}

/** How the last 20 probes of an instance went. */
export class ProbeWindow {
  /** A bit a probe, the newest one lowest: 1 where it succeeded. */
  #bits = 0;
  #count = 0;
  #success = 1;

  add(succeeded: boolean): void {
    this.#bits = ((this.#bits << 1) | Number(succeeded)) & (2 ** SIZE - 1);
    this.#count = Math.min(SIZE, this.#count + 1);
    this.#success = this.#weighed();
  }

  /** Share of those that succeeded, 0..1: the newest weighs 20, the one before 19, and so on. 1 before the first. */
  get success(): number {
    return this.#success;
  }

  get seen(): ProbeWindowSeen {
    return { bits: this.#bits, count: this.#count };
  }

  /** What another replica saw holds in place of what was seen here. */
  adopt({ bits, count }: ProbeWindowSeen): void {
    this.#bits = bits & (2 ** SIZE - 1);
    this.#count = Math.min(SIZE, count);
    this.#success = this.#count === 0 ? 1 : this.#weighed();
  }

  #weighed(): number {
    let succeeded = 0;
    let all = 0;
    for (let age = 0; age < this.#count; age++) {
      const weight = SIZE - age;
      all += weight;
      if ((this.#bits >> age) & 1) succeeded += weight;
    }
    return succeeded / all;
  }
}
