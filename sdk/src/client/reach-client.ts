import { fromWire } from '../wire/codec.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type {
  Change,
  ChangeEvent,
  DecisionEvent,
  Gap,
  OutcomeReport,
  WatchedDecision,
} from '../wire/events.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { AddressBook } from './address-book.js';
import { followEvents } from './follow-events.js';
import { ServiceCalls } from './service-calls.js';

type Payload = Readonly<Record<string, unknown>> | null;

export interface ReachClientOptions {
  /** Where the service listens, such as `http://127.0.0.1:8080`. */
  readonly endpoint: string;
  /** How long a call may take, by default 60,000; streams are not bound by it. */
  readonly timeoutMs?: number;
}

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A route request besides its intent and payload. */
export type RouteOptions = Omit<RouteRequest, 'intent' | 'payload'> & CallOptions;

/** A dispatch request besides its intent and payload. */
export type DispatchOptions = Omit<DispatchRequest, 'intent' | 'payload'> &
  CallOptions & {
    /** W3C Trace Context, handed on to the agent. */
    readonly traceparent?: string;
  };

export interface WatchOptions extends CallOptions {
  /** A part of the intents, or `/regex/`; all where it is left out. */
  readonly intentPattern?: string;
}

export interface ChangesOptions extends CallOptions {
  readonly agent?: string;
  readonly capability?: string;
  /** The `id` of the event to resume after. */
  readonly lastEventId?: string;
}

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
    const { signal, traceparent, ...rest } = options;
    const body = requestOf(intent, payload, rest);
    const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
    const answer = await this.#calls.json<DispatchAnswer>('POST', 'dispatch', { body, headers, signal });
    this.#addresses.learn(answer.decision);
    return answer;
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
    const open = (after: string | undefined) => this.#calls.stream(url, { lastEventId: after, signal });
    return followEvents({ open, lastEventId, signal });
  }
}

function requestOf(intent: string | null, payload: Payload | undefined, rest: object): object {
  return { ...rest, intent: intent ?? undefined, payload };
}
