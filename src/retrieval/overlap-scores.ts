import type { ListScores } from './list-scores.js';

/** How much of what was looked for each capability has, as its index stood when it was asked. */
export class OverlapScores {
  readonly #scores: ListScores;
  readonly #attainable: number;
  readonly #isThere: (id: number) => boolean;

  /** `attainable`: what a capability would get that has all of it. */
  constructor(scores: ListScores, attainable: number, isThere: (id: number) => boolean) {
    this.#scores = scores;
    this.#attainable = attainable;
    this.#isThere = isThere;
  }

  /** 0..1; 0 where it has nothing of it. */
  of(id: number): number {
    return this.#attainable === 0 ? 0 : Math.min(1, this.#scores.of(id) / this.#attainable);
  }

  /** The ids of the `k` that have most of it, among those accepted, best first. */
  best(k: number, accepts: (id: number) => boolean): number[] {
    return this.#scores.best(k, (id) => this.#isThere(id) && accepts(id));
  }
}
