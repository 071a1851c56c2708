import type { DispatchAnswer, FinalState, Lane } from './dispatch.js';

export type RequestState =
  | 'queued'
  | 'routing'
  | 'delivered'
  | 'acknowledged'
  | 'processing'
  | 'retry_waiting'
  | FinalState;

/** One state of a request. */
export interface StateEntry {
  readonly state: RequestState;
  /** Since when, ISO 8601, UTC. */
  readonly at: string;
  /** The process that brought it there. */
  readonly node: string;
  /** The attempt that did, from 1. */
  readonly attempt?: number;
}

/** A request as it stands. */
export interface RequestStatus {
  readonly requestId: string;
  readonly state: RequestState;
  readonly lane: Lane;
  /** Whether its caller waits for it. */
  readonly mode: 'sync' | 'async';
  /** When it came, ISO 8601, UTC. */
  readonly acceptedAt: string;
  /** When it ends at the latest, ISO 8601, UTC. */
  readonly deadlineAt: string;
  readonly history: readonly StateEntry[];
  /** Once it has ended. */
  readonly answer: DispatchAnswer | null;
  readonly callback: {
    readonly state: 'waiting' | 'taken' | 'given_up';
    readonly attempts: number;
    readonly lastError: string | null;
  } | null;
}

/** What a request tells until it has ended, in order; the last event is its answer. `id` is what to resume after. */
export type RequestEvent =
  | { readonly event: 'state'; readonly id: number; readonly data: StateEntry }
  | { readonly event: 'queued'; readonly id: number; readonly data: { readonly place: number } }
  | { readonly event: 'progress' | 'delta'; readonly id: number; readonly data: unknown }
  | { readonly event: 'lost'; readonly id: number; readonly data: { readonly count: number } }
  | { readonly event: 'answer'; readonly id: number; readonly data: DispatchAnswer };
