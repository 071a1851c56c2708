import type { JudgedQuery } from './judge.js';

/** How far a confidence lay from the truth: 1 for an answer that was wrong and sure, or right and not sure at all. */
function surpriseOf({ mark: { right, confidence } }: Pick<JudgedQuery, 'mark'>): number {
  return right ? 1 - confidence : confidence;
}

/** Of all judged queries the few whose confidence was the farthest from the truth, the worst first. */
export class WorstQueries {
  readonly #most: number;
  #kept: JudgedQuery[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(judged: JudgedQuery): void {
    const last = this.#kept[this.#most - 1];
    if (last !== undefined && surpriseOf(judged) <= surpriseOf(last)) return;
    this.#kept = [...this.#kept, judged].sort((a, b) => surpriseOf(b) - surpriseOf(a)).slice(0, this.#most);
  }

  get all(): readonly JudgedQuery[] {
    return this.#kept;
  }
}
