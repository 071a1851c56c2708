import type { FieldError } from './problem.js';
import type { Decision, RouteRequest } from './route.js';

/** How urgent a request is. */
export type Lane = 'P0' | 'P1' | 'P2';

/** A route request that is also to be carried out. */
export interface DispatchRequest extends RouteRequest {
  /** 1 to 128 letters, digits, `_`, `:`, `-` and, behind the first, `.`: the same again gives the same answer, for 24 h. */
  readonly requestId?: string;
  /** Default P1. */
  readonly lane?: Lane;
  readonly deadlines?: {
    /** To decide and for a slot; default P0 150, P1 2,000, P2 30,000, asynchronous 600,000. */
    readonly seekMs?: number;
    /** To the first event of an agent that streams; default P0 200, else 2,000. */
    readonly ackMs?: number;
    /** For the agents' work; default the capability's `deadline_ms`, else 5,000 (P2 30,000). */
    readonly executeMs?: number;
  };
  readonly retryPolicy?: {
    /** All together, 1..10, default 3. */
    readonly maxAttempts?: number;
    /** The most that is waited first, default 200. */
    readonly backoffBaseMs?: number;
    /** How it grows each time, default 2. */
    readonly backoffFactor?: number;
  };
  /** Check the result against the capability's `output_schema`. */
  readonly checkResult?: boolean;
  /** Where to send the request when it has ended; makes it asynchronous. */
  readonly callbackUrl?: string;
}

/** One call of one instance. */
export interface Attempt {
  readonly agentName: string;
  readonly instanceId: string;
  readonly capabilityId: string;
  /** When it was begun, ISO 8601, UTC. */
  readonly startedAt: string;
  readonly elapsedMs: number;
  readonly outcome: 'completed' | 'failed' | 'refused' | 'timeout' | 'cancelled';
  readonly errorCode?: string;
}

/** What went wrong. */
export interface DispatchError {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly errors: readonly FieldError[];
}

export type FinalState = 'completed' | 'failed' | 'cancelled' | 'handed_off';

/** What became of a dispatch, whether the agent did well or not: see `state`. */
export interface DispatchAnswer {
  readonly requestId: string;
  readonly state: FinalState;
  /** The agent's result, as it came. */
  readonly result?: unknown;
  /** The agent's words for the person, where it has any. */
  readonly reply?: string;
  /** What the agent keeps for the rest of the conversation. */
  readonly entities?: Readonly<Record<string, unknown>>;
  readonly error?: DispatchError;
  /** The result stands in for one that could not be had: see `error`. */
  readonly degraded: boolean;
  /** Null where the request ended before anything was decided. */
  readonly decision: Decision | null;
  readonly attempts: readonly Attempt[];
  /** For slots. */
  readonly waitedMs: number;
  readonly elapsedMs: number;
  /** Of the question that a person was asked. */
  readonly ticketId?: string;
  /** The session could not be read or written; it was gone on without. */
  readonly sessionUnavailable?: boolean;
}

/** What became of several requests. */
export interface BatchAnswer {
  /** Whether as many are completed as the mode asks for. */
  readonly state: 'completed' | 'failed';
  /**
   * In the order of the requests: what a dispatch answers; the error alone where a dispatch would have been refused; null
   * where it had not begun.
   */
  readonly answers: readonly (DispatchAnswer | { readonly error: DispatchError } | null)[];
  readonly elapsedMs: number;
}
