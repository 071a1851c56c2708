import type { DispatchAnswer, DispatchRequest, Lane } from '../wire/dispatch.js';
import type { RequestStatus, StateEntry } from '../wire/requests.js';
import type { Delivery } from './request-life.js';
import type { RequestState } from './request-state.js';

/** A request as it is kept. */
export interface StoredRequest {
  readonly requestId: string;
  /** SHA-256 of the request without its id. */
  readonly bodyHash: string;
  readonly mode: RequestStatus['mode'];
  readonly lane: Lane;
  readonly request: DispatchRequest;
  readonly traceparent: string | undefined;
  readonly acceptedAtMs: number;
  readonly deadlineAtMs: number;
  readonly state: RequestState;
  readonly history: readonly StateEntry[];
  /** The last delivery, where there was one. */
  readonly delivery: Delivery | undefined;
  /** Once it has ended. */
  readonly answer: DispatchAnswer | undefined;
  /** Grows with every save. */
  readonly revision: number;
}

/** What a list shows of a request. */
export type RequestSummary = Pick<
  StoredRequest,
  'requestId' | 'state' | 'lane' | 'mode' | 'acceptedAtMs' | 'deadlineAtMs'
>;

/** Where requests are kept. A port; `storage/` implements it. Every write is durable when its promise resolves. */
export interface RequestStore {
  /** Keeps a new request; where there is one of this id already, that one is returned and nothing changes. */
  create(team: string, request: StoredRequest): Promise<StoredRequest | undefined>;
  /** Saves a request if the kept one still has the revision before its own. False: it has another, or is not there. */
  save(team: string, request: StoredRequest): Promise<boolean>;
  /** Forgets one that was not let in. */
  remove(team: string, requestId: string): Promise<void>;
  find(team: string, requestId: string): Promise<StoredRequest | undefined>;
  /** Newest first. */
  list(
    team: string,
    query: { readonly state?: RequestState; readonly limit: number },
  ): Promise<RequestSummary[]>;
  /** The ids of those that have not ended, oldest first. */
  unfinished(team: string): Promise<string[]>;
  /** Removes ended ones that were accepted before; returns how many. */
  prune(team: string, acceptedBeforeMs: number): Promise<number>;
}
