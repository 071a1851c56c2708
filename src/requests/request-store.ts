import type { DispatchAnswer, DispatchRequest, Lane } from '../wire/dispatch.js';
import type { RequestStatus } from '../wire/requests.js';
import type { Delivery } from './request-life.js';
import type { RequestState } from './request-state.js';

/** One state of a request. */
export interface KeptState {
  readonly state: RequestState;
  readonly atMs: number;
  /** The process that brought it there. */
  readonly node: string;
  readonly attempt?: number;
  /** Of the event that told it. */
  readonly eventId: number;
}

/** The last delivery of a request. */
export interface KeptDelivery extends Omit<Delivery, 'deadline'> {
  /** The agent took the work with a 202: its answer is still to come. */
  readonly awaitsReply: boolean;
}

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
  /** Of the way to somebody who does it; from the first delivery on of the work. */
  readonly deadlineAtMs: number;
  readonly state: RequestState;
  readonly history: readonly KeptState[];
  /** Where there was one. */
  readonly delivery: KeptDelivery | undefined;
  /** How often it was begun: 1, and one more with each restart. */
  readonly run: number;
  /** The replica that carries it out, or the last that did; undefined while it waits for one. */
  readonly owner: string | undefined;
  /** Once it has ended. */
  readonly answer: DispatchAnswer | undefined;
  /** It has ended, and whoever asked to be told has not been told yet. */
  readonly callbackDue: boolean;
  /** Grows by 1 with every save, from 1. */
  readonly revision: number;
}

/** What a list shows of a request. */
export type RequestSummary = Pick<
  StoredRequest,
  'requestId' | 'state' | 'lane' | 'mode' | 'acceptedAtMs' | 'deadlineAtMs'
>;

/** What has to be seen to, by whom. */
export type UnfinishedRequest = Pick<StoredRequest, 'requestId' | 'lane' | 'owner'>;

/** Where requests are kept. A port; `storage/` implements it. Every write is durable when its promise resolves. */
export interface RequestStore {
  /** A secret of this store, the same for good: what signs the tokens of replies. */
  secret(team: string): Promise<string>;
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
  /** Those that have not ended, or whose callback is due, oldest first. */
  unfinished(team: string): Promise<UnfinishedRequest[]>;
  /** The ids of some that have not ended and whose deadline was before. */
  overdue(team: string, beforeMs: number): Promise<string[]>;
  /** Lets go of some ended ones that were accepted before; true where more is left to do. */
  prune(team: string, acceptedBeforeMs: number): Promise<boolean>;
}
