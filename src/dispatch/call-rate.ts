const SECOND_MS = 1_000;

const windowOf = (maxQps: number) => (maxQps >= 1 ? SECOND_MS : SECOND_MS / maxQps);

/** The last calls of an agent, so that never more begin within any one second than it allows. Times are monotonic. */
export class CallRate {
  /** When the calls of the last window began; those before `#first` are over. */
  #begun: number[] = [];
  #first = 0;
  /** From then on they say nothing any more. */
  #quietFromMs = Number.NEGATIVE_INFINITY;

  /** In how many ms another call may begin; 0: now. Under one call a second each has so much more time to itself. */
  freeInMs(maxQps: number, nowMs: number): number {
    const atOnce = Math.max(1, Math.floor(maxQps));
    const windowMs = windowOf(maxQps);
    this.#forgetBefore(nowMs - windowMs);
    const oldest = this.#begun[this.#begun.length - atOnce];
    if (oldest === undefined || this.#begun.length - this.#first < atOnce) return 0;
    return oldest + windowMs - nowMs;
  }

  begin(maxQps: number, nowMs: number): void {
    this.#begun.push(nowMs);
    this.#quietFromMs = nowMs + windowOf(maxQps);
  }

  isQuiet(nowMs: number): boolean {
    return nowMs >= this.#quietFromMs;
  }

  #forgetBefore(moment: number): void {
    while (this.#first < this.#begun.length && (this.#begun[this.#first] ?? 0) <= moment) this.#first += 1;
    if (this.#first * 2 <= this.#begun.length) return;
    this.#begun = this.#begun.slice(this.#first);
    this.#first = 0;
  }
}
