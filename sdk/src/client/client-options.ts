import type { DispatchRequest } from '../wire/dispatch.js';
import type { RouteRequest } from '../wire/route.js';

export type Payload = Readonly<Record<string, unknown>> | null;

export interface ReachClientOptions {
  /** Where the service listens, such as `http://127.0.0.1:8080`. */
  readonly endpoint: string;
  /** How long a call may take, by default 60,000; streams are not bound by it. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A route request besides its intent and payload. */
export type RouteOptions = Omit<RouteRequest, 'intent' | 'payload'> & CallOptions;

interface TraceOptions {
  /** W3C Trace Context, handed on to the agent. */
  readonly traceparent?: string;
}

/** A request that its caller waits for. */
export type AwaitedRequest = Omit<DispatchRequest, 'callbackUrl'>;

/** A dispatch request besides its intent and payload. */
export type DispatchOptions = Omit<AwaitedRequest, 'intent' | 'payload'> & CallOptions & TraceOptions;

/** The same, of which the answer may also be sent somewhere. */
export type DispatchLaterOptions = DispatchOptions & Pick<DispatchRequest, 'callbackUrl'>;

export interface BatchOptions extends CallOptions {
  /** Carry out all (default), or until one, or until `quorum` of them are completed. */
  readonly mode?: 'all' | 'first' | 'quorum';
  /** Only with that mode; default more than half. */
  readonly quorum?: number;
  /** How many at once: 1..64, default 8. */
  readonly concurrency?: number;
}

export interface RequestEventsOptions extends CallOptions {
  /** The `id` of the event to resume after. */
  readonly lastEventId?: number;
}

export interface PutSessionOptions extends CallOptions {
  /** The revision that it replaces; 0: there is none yet. */
  readonly ifMatch: number;
}

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
