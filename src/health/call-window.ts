import type { CallOutcome } from './instance-view.js';

const BUCKETS = 10;
const BUCKET_MS = 30_000;

/** Whether an outcome says that the instance works; undefined: it says nothing of that. */
export const WORKS: Readonly<Record<CallOutcome['outcome'], boolean | undefined>> = {
  completed: true,
  failed: false,
  timeout: false,
  unreachable: false,
  refused: undefined,
  busy: undefined,
  needs_auth: undefined,
};

/** How the calls of the last five minutes went, in steps of half a minute. Times are monotonic. */
export class CallWindow {
  readonly #calls = new Array<number>(BUCKETS).fill(0);
  readonly #failures = new Array<number>(BUCKETS).fill(0);
  /** The number of the newest bucket since the clock began. */
  #newest = Number.NEGATIVE_INFINITY;

  add(works: boolean, nowMs: number): void {
    this.#advance(nowMs);
    const place = this.#newest % BUCKETS;
    this.#calls[place] = (this.#calls[place] ?? 0) + 1;
    if (!works) this.#failures[place] = (this.#failures[place] ?? 0) + 1;
  }

  calls(nowMs: number): number {
    this.#advance(nowMs);
    return sum(this.#calls);
  }

  /** Share of the calls that failed, 0..1; 0 where there were none. */
  errorRate(nowMs: number): number {
    const calls = this.calls(nowMs);
    return calls === 0 ? 0 : sum(this.#failures) / calls;
  }

  /** Empties the buckets of what is over. */
  #advance(nowMs: number): void {
    const current = Math.floor(nowMs / BUCKET_MS);
    for (let bucket = Math.max(this.#newest + 1, current - BUCKETS + 1); bucket <= current; bucket++) {
      this.#calls[bucket % BUCKETS] = 0;
      this.#failures[bucket % BUCKETS] = 0;
    }
    this.#newest = Math.max(this.#newest, current);
  }
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
