import { describe, ReachError, sentenceOf } from '../errors.js';
import type { Requests } from '../requests/open-requests.js';
import { camelCheckOf } from '../wire/check.js';
import { type DispatchAnswer, type DispatchRequest, DispatchRequestSchema } from '../wire/dispatch.js';
import {
  type AgentReply,
  AgentReplySchema,
  type Queues,
  REQUEST_STATES,
  type RequestEvent,
  type RequestList,
  type RequestStatus,
} from '../wire/requests.js';
import { type OpenCalls, refuseUnlessFit, refuseUnlessWhole } from './open-calls.js';

/** What surrounds a request and is passed on with it. */
export interface RequestContext {
  /** W3C traceparent of the caller. */
  readonly traceparent?: string;
  /** Aborted when nobody waits for the answer any more: a request that has no key of its caller's is cancelled. */
  readonly signal?: AbortSignal;
}

export interface RequestListQuery {
  readonly state?: (typeof REQUEST_STATES)[number];
  /** 1 to 100, by default 100. */
  readonly limit?: number;
}

export interface FollowRequestOptions {
  /** The `id` of the event to go on after. */
  readonly lastEventId?: number;
  readonly signal?: AbortSignal;
}

/** A request, and what it tells until it has ended; the last event is its answer. */
export interface FollowedRequest {
  readonly requestId: string;
  readonly events: AsyncIterable<RequestEvent>;
}

/** From a request to its result, and what happens in between. */
export interface RequestCalls {
  /**
   * As route, then carries it out. What an agent does wrong is in the answer, not thrown. The same `requestId` again
   * gives the same answer.
   * @throws ReachError as route, with DEADLINE_EXCEEDED where no decision came in time; and PAYLOAD_INVALID,
   * IDEMPOTENCY_CONFLICT, OVERLOADED, ADDRESS_FORBIDDEN for a `callbackUrl`, STORE_UNAVAILABLE
   */
  dispatch(request: DispatchRequest, context?: RequestContext): Promise<DispatchAnswer>;
  /**
   * As dispatch, without waiting: once this resolves, the request survives a restart.
   * @throws ReachError INVALID_REQUEST, IDEMPOTENCY_CONFLICT, OVERLOADED, ADDRESS_FORBIDDEN, STORE_UNAVAILABLE,
   * NOT_READY, CLOSED
   */
  dispatchLater(request: DispatchRequest, context?: RequestContext): Promise<RequestStatus>;
  /**
   * As dispatch, told while it happens. Where the loop is left early, the request is cancelled.
   * @throws ReachError as dispatch, in the loop where it shows later
   */
  dispatchStream(request: DispatchRequest, context?: RequestContext): Promise<FollowedRequest>;
  /** @throws ReachError REQUEST_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  request(requestId: string): Promise<RequestStatus>;
  /** The kept ones, newest first. @throws ReachError INVALID_REQUEST, STORE_UNAVAILABLE, CLOSED */
  requests(query?: RequestListQuery): Promise<RequestList>;
  /** From its first state on. @throws ReachError REQUEST_UNKNOWN, OVERLOADED, STORE_UNAVAILABLE, CLOSED */
  requestEvents(requestId: string, options?: FollowRequestOptions): Promise<AsyncIterable<RequestEvent>>;
  /** Ends it, and tells the agent. @throws ReachError REQUEST_UNKNOWN, REQUEST_ENDED, STORE_UNAVAILABLE, CLOSED */
  cancel(requestId: string): Promise<RequestStatus>;
  /**
   * The answer of an agent that took its work with a 202.
   * @throws ReachError INVALID_REQUEST, REQUEST_UNKNOWN for a token that is not its own, REQUEST_ENDED, STORE_UNAVAILABLE
   */
  reply(requestId: string, token: string, reply: AgentReply): Promise<void>;
  /** Who waits and runs where. */
  queues(): Promise<Queues>;
}

interface RequestParts {
  readonly requests: Requests;
  /** Who waits and runs at the agents. */
  readonly agentQueues: () => Queues['agents'];
}

/** The most requests that a list shows. */
const MOST_LISTED = 100;

const checkDispatch = camelCheckOf(DispatchRequestSchema);
const checkReply = camelCheckOf(AgentReplySchema);

export function requestCalls({ requests, agentQueues }: RequestParts, calls: OpenCalls): RequestCalls {
  const { desk, inquiries, control } = requests;
  const refuseUnlessTaken = (request: DispatchRequest) => {
    calls.refuseUnlessOpen();
    refuseUnlessFit(checkDispatch, request);
  };

  return {
    async dispatch(request, context = {}) {
      refuseUnlessTaken(request);
      return await desk.dispatch(request, context);
    },

    async dispatchLater(request, context = {}) {
      refuseUnlessTaken(request);
      return calls.track(desk.dispatchLater(request, context));
    },

    async dispatchStream(request, context = {}) {
      refuseUnlessTaken(request);
      return desk.dispatchStream(request, context);
    },

    async request(requestId) {
      calls.refuseIfClosing();
      return inquiries.status(requestId);
    },

    async requests({ state, limit = MOST_LISTED } = {}) {
      calls.refuseIfClosing();
      refuseUnlessWhole('/limit', limit, MOST_LISTED);
      refuseUnlessState(state);
      return inquiries.list({ ...(state !== undefined && { state }), limit });
    },

    async requestEvents(requestId, options = {}) {
      calls.refuseIfClosing();
      return inquiries.events(requestId, options);
    },

    async cancel(requestId) {
      calls.refuseIfClosing();
      await calls.track(control.cancel(requestId));
      return inquiries.status(requestId);
    },

    async reply(requestId, token, reply) {
      refuseUnlessFit(checkReply, reply);
      await control.reply(requestId, token, reply);
    },

    async queues() {
      calls.refuseIfClosing();
      return { agents: agentQueues(), requests: requests.counts() };
    },
  };
}

/** @throws ReachError INVALID_REQUEST */
function refuseUnlessState(state: string | undefined): void {
  if (state === undefined || (REQUEST_STATES as readonly string[]).includes(state)) return;
  const fault = {
    pointer: '/state',
    expected: `one of ${REQUEST_STATES.join(', ')}`,
    received: describe(state),
  };
  throw new ReachError('INVALID_REQUEST', sentenceOf([fault]), { errors: [fault] });
}
