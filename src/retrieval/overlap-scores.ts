import type { ListScores } from './list-scores.js';

/** How much of what was looked for each capability has, as its index stood when it was asked. */
export class OverlapScores {
  readonly #scores: ListScores;
  readonly #attainable: number;

  /** The share of it that no capability has, 0..1. */
  readonly unknown: number;

  /** `attainable`: what a capability would get that has all of it; `unknown`: how much of that nobody has. */
  constructor(
    scores: ListScores,
    { attainable, unknown }: { readonly attainable: number; readonly unknown: number },
  ) {
    this.#scores = scores;
    this.#attainable = attainable;
    this.unknown = attainable === 0 ? 0 : unknown / attainable;
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
  best(k: number, accepts: (id: number) => boolean): number[] {
    return this.#scores.best(k, accepts);
  }
}
