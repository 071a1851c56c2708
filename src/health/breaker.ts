import { CallWindow, WORKS } from './call-window.js';
import type { CallOutcome } from './instance-view.js';

/** So many calls at least before their failures say anything. */
const LEAST_CALLS = 10;
const OPENS_AT_ERROR_RATE = 0.4;
/** From its opening to the trial. */
export const BREAKER_OPEN_MS = 10_000;

type BreakerState =
  | { readonly kind: 'closed'; readonly calls: CallWindow }
  /** Half-open from `untilMs` on: the next call is a trial. */
  | { readonly kind: 'open'; readonly untilMs: number }
  /** Half-open, and its trial is under way. */
  | { readonly kind: 'trying' };

/** What a call has made of a breaker; undefined: nothing. */
export type BreakerTurn = 'opened' | 'closed' | undefined;

/** Keeps calls away from a capability of an instance that mostly fails there. Times are monotonic. */
export class Breaker {
  #state: BreakerState = { kind: 'closed', calls: new CallWindow() };

  /** A call begins. The returned function is told its outcome, once, and says what became of the breaker by it. */
  begin(nowMs: number): (outcome: CallOutcome['outcome'], nowMs: number) => BreakerTurn {
    if (this.#state.kind !== 'open' || nowMs < this.#state.untilMs) {
      return (outcome, endMs) => this.#count(outcome, endMs);
    }
    this.#state = { kind: 'trying' };
    return (outcome, endMs) => this.#judge(outcome, endMs);
  }

  /** Whether calls are to stay away now. */
  blocks(nowMs: number): boolean {
    const state = this.#state;
    return state.kind === 'trying' || (state.kind === 'open' && nowMs < state.untilMs);
  }

  /** That of another replica has opened for so long, or closed (null): so does this one. */
  follow(openForMs: number | null, nowMs: number): void {
    if (openForMs !== null) this.#open(Math.max(nowMs + openForMs, this.halfOpenAtMs ?? 0));
    else if (!this.isClosed) this.#state = { kind: 'closed', calls: new CallWindow() };
  }

  /** When it lets a trial through, if it waits for that. */
  get halfOpenAtMs(): number | undefined {
    return this.#state.kind === 'open' ? this.#state.untilMs : undefined;
  }

  get isClosed(): boolean {
    return this.#state.kind === 'closed';
  }

  /** Whether nothing is lost by forgetting it. */
  isIdle(nowMs: number): boolean {
    return this.#state.kind === 'closed' && this.#state.calls.calls(nowMs) === 0;
  }

  /** Calls that began before it opened, and end after, tell nothing new. */
  #count(outcome: CallOutcome['outcome'], nowMs: number): BreakerTurn {
    const works = WORKS[outcome];
    if (this.#state.kind !== 'closed' || works === undefined) return undefined;
    const { calls } = this.#state;
    calls.add(works, nowMs);
    if (calls.calls(nowMs) < LEAST_CALLS || calls.errorRate(nowMs) < OPENS_AT_ERROR_RATE) return undefined;
    this.#open(nowMs + BREAKER_OPEN_MS);
    return 'opened';
  }

  #judge(outcome: CallOutcome['outcome'], nowMs: number): BreakerTurn {
    const works = WORKS[outcome];
    if (works === true) {
      this.#state = { kind: 'closed', calls: new CallWindow() };
      return 'closed';
    }
    // A trial that says nothing leaves its place to the next one.
    this.#open(works === undefined ? nowMs : nowMs + BREAKER_OPEN_MS);
    return works === undefined ? undefined : 'opened';
  }

  #open(untilMs: number): void {
    this.#state = { kind: 'open', untilMs };
  }
}
