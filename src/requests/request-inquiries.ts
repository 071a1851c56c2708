import type { RequestEvent, RequestList, RequestStatus } from '../wire/requests.js';
import { type Callbacks, standingOf } from './callbacks.js';
import { LiveRequest } from './live-request.js';
import type { RequestBook } from './request-book.js';
import type { RequestFollowers } from './request-followers.js';
import type { RequestPeers } from './request-peers.js';
import type { RequestState } from './request-state.js';
import { toldStatus, toldSummary } from './request-status.js';
import type { RequestStore, StoredRequest } from './request-store.js';

/** Another replica is given so long to say how a request stands, in ms; then what is kept of it has to do. */
const TOLD_WITHIN_MS = 300;

export interface RequestInquiriesParts {
  readonly book: RequestBook;
  readonly followers: RequestFollowers;
  readonly peers: RequestPeers;
  readonly store: RequestStore;
  readonly team: string;
  readonly callbacks: Callbacks | undefined;
}

interface FollowOptions {
  /** Of the event to go on after. */
  readonly lastEventId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Says how requests stand, and what happens to them. */
export class RequestInquiries {
  readonly #parts: RequestInquiriesParts;

  constructor(parts: RequestInquiriesParts) {
    this.#parts = parts;
  }

  /** @throws ReachError REQUEST_UNKNOWN, STORE_UNAVAILABLE */
  async status(requestId: string): Promise<RequestStatus> {
    const { book } = this.#parts;
    const found = await book.open(requestId);
    if (!(found instanceof LiveRequest)) return this.statusOf(found);
    try {
      // An answer that is not kept yet is told to nobody.
      if (found.answer !== undefined) await book.answered(found);
      return await this.statusOf({ ...found.snapshot(), ...(await this.#standingElsewhere(found)) });
    } finally {
      book.release(found);
    }
  }

  /** Of one that another replica carries out: further than what is kept of it. */
  async #standingElsewhere(live: LiveRequest): Promise<Pick<StoredRequest, 'state' | 'history'> | undefined> {
    const { book, peers } = this.#parts;
    if (!peers.runsElsewhere(live)) return undefined;
    const { requestId } = live;
    const told = await peers.ask(live, { requestId, what: 'status' }, TOLD_WITHIN_MS);
    if (told?.kind === 'standing') return { state: told.state, history: told.history };
    await book.refresh(live);
    return live.snapshot();
  }

  /** As its caller is told of it. */
  async statusOf(request: StoredRequest): Promise<RequestStatus> {
    const status = toldStatus(request, null);
    const callback = await standingOf(this.#parts.callbacks, request.request.callbackUrl, status);
    return { ...status, callback };
  }

  /** The kept ones, newest first. @throws ReachError STORE_UNAVAILABLE */
  async list(query: { readonly state?: RequestState; readonly limit: number }): Promise<RequestList> {
    const { store, team } = this.#parts;
    const summaries = await store.list(team, query);
    return { requests: summaries.map(toldSummary) };
  }

  /** From its first state on. @throws ReachError REQUEST_UNKNOWN, OVERLOADED, STORE_UNAVAILABLE */
  async events(requestId: string, options: FollowOptions): Promise<AsyncIterable<RequestEvent>> {
    return this.eventsOf(await this.#parts.book.open(requestId), options);
  }

  /** Of a request that is held, if it is live: until its follower is gone. @throws ReachError OVERLOADED */
  eventsOf(found: LiveRequest | StoredRequest, options: FollowOptions): AsyncIterable<RequestEvent> {
    const { book, followers } = this.#parts;
    const onEnd = () => {
      if (found instanceof LiveRequest) book.release(found);
    };
    try {
      return followers.follow(book.logOf(found), { ...options, onEnd });
    } catch (thrown) {
      onEnd();
      throw thrown;
    }
  }
}
