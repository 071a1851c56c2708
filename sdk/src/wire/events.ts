import type { Candidate, Decision } from './route.js';

/** One change of an instance's state, or, where `agent` and `instance` are null, a notice about the service itself. */
export interface Change {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly agent: string | null;
  readonly instance: string | null;
  /** Null: it came. */
  readonly from: string | null;
  /** Null: it went. */
  readonly to: string | null;
  /** One short phrase for a person. */
  readonly reason: string;
  readonly addrVersion: number | null;
}

/** Changes that happened and cannot be told any more. */
export interface Gap {
  /** Null where they began before the service started. */
  readonly fromSeq: number | null;
  readonly toSeq: number;
}

/** What `changes` brings. `id` is what to resume after. */
export type ChangeEvent =
  | { readonly event: 'change'; readonly id: string; readonly data: Change }
  | { readonly event: 'gap'; readonly id: string; readonly data: Gap };

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
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly intent: string | null;
  /** Names of the payload's fields with their types: `integer` for whole numbers, `number` for others. */
  readonly payloadFields: Readonly<
    Record<string, 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'>
  >;
  /** As with `explain`, those that were filtered out with their `excludedBy`. */
  readonly candidates: readonly Candidate[];
}

/** What `watch` brings. `lost`: the reader was slower than the decisions. */
export type DecisionEvent =
  | { readonly event: 'decision'; readonly data: WatchedDecision }
  | { readonly event: 'lost'; readonly data: { readonly count: number } };

/** What a caller that called the target itself tells of it. */
export interface OutcomeReport {
  readonly status: 'completed' | 'failed' | 'refused' | 'timeout' | 'unreachable';
  readonly latencyMs?: number;
  /** Where another capability would have been right, as `agent_name/capability_id`. */
  readonly rightCapability?: string;
}
