import type { DecisionEvent, WatchedDecision } from '../wire/live.js';

/** So many decisions wait for a watcher. */
const CAPACITY = 1_000;

/** The decisions that one watcher has not taken yet. Of too many it loses the oldest, and is told how many. */
export class DecisionQueue {
  readonly #waiting: WatchedDecision[] = [];
  #lost = 0;

  add(decision: WatchedDecision): void {
    this.#waiting.push(decision);
    if (this.#waiting.length <= CAPACITY) return;
    this.#waiting.shift();
    this.#lost += 1;
  }

  /** Undefined where nothing waits. */
  take(): DecisionEvent | undefined {
    if (this.#lost > 0) {
      const count = this.#lost;
      this.#lost = 0;
      return { event: 'lost', data: { count } };
    }
    const data = this.#waiting.shift();
    return data && { event: 'decision', data };
  }
}
