import type { Decision, RouteRequest } from '../wire/route.js';

/** Whoever follows decisions. Called behind the decision and before its answer: must return at once, and not throw. */
export interface DecisionObserver {
  /** Whether it wants this decision with all that `explain` shows, though the caller may not have asked for it. */
  wantsExplained(request: RouteRequest): boolean;
  /** `explained` is there where any observer wanted it. Its `atMs` is wall time in ms since the epoch. */
  decided(made: { atMs: number; request: RouteRequest; decision: Decision; explained?: Decision }): void;
}
