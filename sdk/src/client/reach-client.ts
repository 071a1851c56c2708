import { fromWire } from '../wire/codec.js';
import type { BatchAnswer, DispatchAnswer } from '../wire/dispatch.js';
import type {
  Change,
  ChangeEvent,
  DecisionEvent,
  Gap,
  OutcomeReport,
  WatchedDecision,
} from '../wire/events.js';
import type { RequestEvent, RequestStatus } from '../wire/requests.js';
import type { Decision } from '../wire/route.js';
import type { Session, SessionContent } from '../wire/session.js';
import { AddressBook } from './address-book.js';
import type {
  AwaitedRequest,
  BatchOptions,
  CallOptions,
  ChangesOptions,
  DispatchLaterOptions,
  DispatchOptions,
  Payload,
  PutSessionOptions,
  ReachClientOptions,
  RequestEventsOptions,
  RouteOptions,
  WatchOptions,
} from './client-options.js';
import { followEvents } from './follow-events.js';
import { ReachClientError } from './reach-client-error.js';
import { requestEventsOf } from './request-events.js';
import { ServiceCalls } from './service-calls.js';
import { toldEvents } from './told-events.js';

const TIMEOUT_MS = 60_000;

/** Asks a service, over HTTP. Every call rejects with a ReachClientError, or with its signal's reason. */
export class ReachClient {
  readonly #calls: ServiceCalls;
  readonly #addresses = new AddressBook();

  /** @throws TypeError where the endpoint is no http or https URL. */
  constructor({ endpoint, timeoutMs = TIMEOUT_MS }: ReachClientOptions) {
    this.#calls = new ServiceCalls(endpoint, timeoutMs);
  }

  /** Finds the agent that can do it, without calling it. `intent` is null where options name the target. */
  async route(intent: string | null, payload?: Payload, options: RouteOptions = {}): Promise<Decision> {
    const { signal, ...rest } = options;
    const body = requestOf(intent, payload, rest);
    const decision = await this.#calls.json<Decision>('POST', 'route', { body, signal });
    this.#addresses.learn(decision);
    return decision;
  }

  /** Finds the agent that can do it and has it done; that the agent failed is an answer, too. */
  async dispatch(
    intent: string | null,
    payload?: Payload,
    options: DispatchOptions = {},
  ): Promise<DispatchAnswer> {
    const call = dispatchCall(intent, payload, options);
    const answer = await this.#calls.json<DispatchAnswer>('POST', 'dispatch', call);
    this.#learn(answer);
    return answer;
  }

  /** Has it done without waiting for it: once this resolves, the service answers for it, through a restart of its own. */
  async dispatchLater(
    intent: string | null,
    payload?: Payload,
    options: DispatchLaterOptions = {},
  ): Promise<RequestStatus> {
    const call = dispatchCall(intent, payload, options, { prefer: 'respond-async' });
    return this.#calls.json<RequestStatus>('POST', 'dispatch', call);
  }

  /**
   * As dispatch, told while it happens; the last event is the answer. Who leaves the loop, or aborts the signal, which
   * ends it without an error, cancels the request.
   */
  async *dispatchStream(
    intent: string | null,
    payload?: Payload,
    options: DispatchOptions = {},
  ): AsyncGenerator<RequestEvent> {
    const call = dispatchCall(intent, payload, options);
    try {
      const chunks = await this.#calls.stream('POST', 'dispatch', call);
      if (yield* requestEventsOf(toldEvents(chunks), this.#learn)) return;
    } catch (cause) {
      if (options.signal?.aborted) return;
      if (cause instanceof ReachClientError) throw cause;
      throw endedEarly(cause);
    }
    throw endedEarly();
  }

  /**
   * Several requests at once, each for itself.
   * @throws ReachClientError only where none of them is begun
   */
  async batch(requests: readonly AwaitedRequest[], options: BatchOptions = {}): Promise<BatchAnswer> {
    const { signal, ...rest } = options;
    return this.#calls.json<BatchAnswer>('POST', 'batch', { body: { requests, ...rest }, signal });
  }

  /** A request as it stands: one that has a `requestId` of its caller's or is asynchronous, for 24 h. */
  async request(requestId: string, { signal }: CallOptions = {}): Promise<RequestStatus> {
    return this.#calls.json<RequestStatus>('GET', requestPath(requestId), { signal });
  }

  /** What a request tells, from its first state on. What breaks is asked for again, from where it broke. */
  async *requestEvents(
    requestId: string,
    { lastEventId, signal }: RequestEventsOptions = {},
  ): AsyncGenerator<RequestEvent> {
    const from = { lastEventId: lastEventId?.toString(), signal };
    const stream = this.#events(`${requestPath(requestId)}/events`, {}, from);
    yield* requestEventsOf(stream, this.#learn);
  }

  /** Ends a request, and tells its agent. */
  async cancel(requestId: string, { signal }: CallOptions = {}): Promise<RequestStatus> {
    return this.#calls.json<RequestStatus>('POST', `${requestPath(requestId)}/cancel`, { signal });
  }

  /** What is known of a conversation. */
  async session(sessionId: string, { signal }: CallOptions = {}): Promise<Session> {
    return this.#calls.json<Session>('GET', sessionPath(sessionId), { signal });
  }

  /** Writes it, unless somebody else has since `ifMatch`: `REVISION_STALE` then. */
  async putSession(
    sessionId: string,
    content: SessionContent,
    { ifMatch, signal }: PutSessionOptions,
  ): Promise<Session> {
    const headers = { 'if-match': `"${ifMatch}"` };
    return this.#calls.json<Session>('PUT', sessionPath(sessionId), { body: content, headers, signal });
  }

  /** Tells what became of a route whose target the caller called itself. Once only. */
  async outcome(routeId: string, report: OutcomeReport): Promise<void> {
    await this.#calls.json('POST', `routes/${encodeURIComponent(routeId)}/outcome`, { body: report });
  }

  /** Has an instance finish what it has and take nothing new. */
  async drain(agentName: string, instanceId: string): Promise<void> {
    const path = `agents/${encodeURIComponent(agentName)}/instances/${encodeURIComponent(instanceId)}/drain`;
    await this.#calls.json('POST', path);
  }

  /**
   * The newest address of an instance that a decision of this client has named, for calls straight to it. Undefined
   * where none is known, and as soon as a change says that it has another one or is gone: so that no old address
   * is taken, read `changes` all the while.
   */
  address(agentName: string, instanceId: string): string | undefined {
    return this.#addresses.address(agentName, instanceId);
  }

  /** Every decision from now on, live. What breaks is asked for again; ends with the signal. */
  async *watch({ intentPattern, signal }: WatchOptions = {}): AsyncGenerator<DecisionEvent> {
    const filter = { intent_pattern: intentPattern };
    for await (const { event, data } of this.#events('watch', filter, { signal })) {
      if (event === 'decision') yield { event, data: fromWire(JSON.parse(data)) as WatchedDecision };
      if (event === 'lost') yield { event, data: fromWire(JSON.parse(data)) as { count: number } };
    }
  }

  /** Every change of an instance's state. What breaks is asked for again, from where it broke; ends with the signal. */
  async *changes({
    agent,
    capability,
    lastEventId,
    signal,
  }: ChangesOptions = {}): AsyncGenerator<ChangeEvent> {
    const from = { lastEventId, signal };
    for await (const { event, data, id } of this.#events('changes', { agent, capability }, from)) {
      if (event === 'change') {
        const change = fromWire(JSON.parse(data)) as Change;
        this.#addresses.apply(change);
        yield { event, id, data: change };
      } else if (event === 'gap') {
        this.#addresses.clear();
        yield { event, id, data: fromWire(JSON.parse(data)) as Gap };
      }
    }
  }

  #events(
    path: string,
    filter: Readonly<Record<string, string | undefined>>,
    { lastEventId, signal }: { lastEventId?: string | undefined; signal: AbortSignal | undefined },
  ) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
    const url = query.size === 0 ? path : `${path}?${query}`;
    const open = (after: string | undefined) => {
      const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
      return this.#calls.stream('GET', url, { headers, signal });
    };
    return followEvents({ open, lastEventId, signal });
  }

  readonly #learn = ({ decision }: DispatchAnswer): void => {
    if (decision !== null) this.#addresses.learn(decision);
  };
}

function dispatchCall(
  intent: string | null,
  payload: Payload | undefined,
  { signal, traceparent, ...rest }: DispatchLaterOptions,
  headers: Readonly<Record<string, string>> = {},
) {
  return {
    body: requestOf(intent, payload, rest),
    headers: { ...headers, ...(traceparent !== undefined && { traceparent }) },
    signal,
  };
}

const requestPath = (requestId: string) => `requests/${encodeURIComponent(requestId)}`;
const sessionPath = (sessionId: string) => `sessions/${encodeURIComponent(sessionId)}`;

function endedEarly(cause?: unknown): ReachClientError {
  return new ReachClientError('SERVER_UNREACHABLE', 'The stream ended before the answer came.', { cause });
}

function requestOf(intent: string | null, payload: Payload | undefined, rest: object): object {
  return { ...rest, intent: intent ?? undefined, payload };
}
