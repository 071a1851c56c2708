import type { FieldError } from './problem.js';
import type { Decision, RouteRequest } from './route.js';

/** How urgent a request is. */
export type Lane = 'P0' | 'P1' | 'P2';

/** A route request that is also to be carried out. */
export interface DispatchRequest extends RouteRequest {
  /** Default P1. */
  readonly lane?: Lane;
  readonly deadlines?: {
    /** For routing; default P0 150, P1 2,000, P2 30,000. */
    readonly seekMs?: number;
    /** For the agent's work; default the capability's `deadline_ms`, else 5,000 (P2 30,000). */
    readonly executeMs?: number;
  };
}

/** One call of one instance. */
export interface Attempt {
  readonly instanceId: string;
  readonly capabilityId: string;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  readonly elapsedMs: number;
  readonly outcome: 'completed' | 'failed' | 'refused' | 'timeout';
  readonly errorCode?: string;
}

/** What became of a dispatch, whether the agent did well or not: see `state`. */
export interface DispatchAnswer {
  readonly requestId: string;
  readonly state: 'completed' | 'failed' | 'handed_off';
  /** The agent's result, as it came. */
  readonly result?: unknown;
  /** The agent's words for the person, where it has any. */
  readonly reply?: string;
  /** What the agent keeps for the rest of the conversation. */
  readonly entities?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: string;
    readonly detail: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
    readonly errors: readonly FieldError[];
  };
  readonly degraded: boolean;
  readonly decision: Decision;
  readonly attempts: readonly Attempt[];
  readonly elapsedMs: number;
}
