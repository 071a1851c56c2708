import type { Decision, RouteRequest } from '../wire/route.js';
import type { Conversation } from './conversation.js';
import type { OpenQuestion } from './open-questions.js';
import type { Search } from './read-request.js';

/** A decision as it was made. */
export interface DecisionMade {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
  readonly request: RouteRequest;
  readonly decision: Decision;
  /** The same with all that `explain` shows; there where any observer wanted it. */
  readonly explained?: Decision;
  /** What was searched for, with what was known of its conversation; absent where a target was named. */
  readonly searched?: { readonly ask: Search; readonly conversation: Conversation };
  /** The clarify that the request answers, and the `agent_name/id` that it names by that. */
  readonly answered?: { readonly question: OpenQuestion; readonly capability: string };
}

/** Whoever follows decisions. Called behind the decision and before its answer: must return at once, and not throw. */
export interface DecisionObserver {
  /**
   * Whether it wants this decision with all that `explain` shows, though the caller may not have asked for it. Who
   * never does has no need of it.
   */
  wantsExplained?(request: RouteRequest): boolean;
  decided(made: DecisionMade): void;
}
