import type { Candidate, Decision } from './route.js';

/** What is known of an instance's ability to take work. */
export type InstanceState =
  | 'up'
  | 'degraded'
  | 'busy'
  | 'fenced'
  | 'paused'
  | 'draining'
  | 'needs_auth'
  | 'down'
  | 'expired';

/** One change of an instance's state. */
export interface StateChange {
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly agent: string;
  readonly instance: string;
  /** Null: it came. */
  readonly from: InstanceState | null;
  /** Null: it went. */
  readonly to: InstanceState | null;
  readonly reason: string;
  readonly addrVersion: number;
}

/** What `changes` brings. `id` is what to resume after. */
export type ChangeEvent =
  | { readonly kind: 'change'; readonly id: string; readonly change: StateChange }
  /** These changes can no longer be told. */
  | { readonly kind: 'gap'; readonly fromSeq: number; readonly toSeq: number };

/** A decision as it was made for somebody. */
export interface WatchedDecision
  extends Pick<
    Decision,
    | 'routeId'
    | 'outcome'
    | 'reason'
    | 'targetAgent'
    | 'capabilityId'
    | 'instanceId'
    | 'confidence'
    | 'threshold'
    | 'timingMs'
  > {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly intent: string | null;
  /** Names of the payload's fields with their types. */
  readonly payloadFields: Readonly<Record<string, string>>;
  /** As with `explain`, those that were filtered out with their `excludedBy`. */
  readonly candidates: readonly Candidate[];
}

/** What `watch` brings. */
export type WatchEvent =
  | { readonly kind: 'decision'; readonly decision: WatchedDecision }
  /** The reader was slower than the decisions: so many were lost here. */
  | { readonly kind: 'lost'; readonly count: number };

/** What a caller that called the target itself tells of it. */
export interface OutcomeReport {
  readonly status: 'completed' | 'failed' | 'refused' | 'timeout' | 'unreachable';
  readonly latencyMs?: number;
  /** Where another capability would have been right, as `agent_name/capability_id`. */
  readonly rightCapability?: string;
}
