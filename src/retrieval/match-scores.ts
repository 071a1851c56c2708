import type { ListScores } from './list-scores.js';
import { bySmallerId } from './top-k.js';

/** How much of what was looked for each capability has, as its index stood when it was asked. */
export class MatchScores {
  readonly #scores: ListScores;
  readonly #attainable: number;

  /** `attainable`: what a capability would get that has all of it. */
  constructor(scores: ListScores, attainable: number) {
    this.#scores = scores;
    this.#attainable = attainable;
  }

  /** 0..1; 0 where it has nothing of it. */
  of(id: number): number {
    return this.#attainable === 0 ? 0 : Math.min(1, this.#scores.of(id) / this.#attainable);
  }

  /** The same, not as a share. */
  weightOf(id: number): number {
    return this.#scores.of(id);
  }

  /** The ids of the `k` that have most of it, among those accepted, best first. */
  best(k: number, accepts: (id: number) => boolean, goesFirst = bySmallerId): number[] {
    return this.#scores.best(k, accepts, goesFirst);
  }
}
