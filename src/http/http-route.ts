import type { IncomingHttpHeaders } from 'node:http';
import type { TSchema } from 'typebox';
import type { Access } from '../access/scopes.js';
import type { ErrorCode } from '../errors.js';
import type { Reach } from '../reach.js';
import type { Problem } from '../wire/problem.js';

/** A request after its checks, with the façade that answers it. */
export interface HttpCall {
  readonly reach: Reach;
  /** Fits the route's `schema.params`. */
  readonly params: unknown;
  /** Fits the route's `schema.querystring`. */
  readonly query: unknown;
  /** Fits the route's `schema.body`, unless the façade checks it. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the caller has gone away; for a stream also when the service closes, which need not wait for it. */
  readonly signal: AbortSignal;
  /** The IP address that the connection comes from. */
  readonly remoteAddress: string;
}

/** A success in wire form; failures are thrown as ReachError. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A success that is sent piece by piece: a long list, or events for as long as the caller listens. */
export interface HttpStream {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** Taken as fast as the caller reads. Left early (`return`) when the caller goes away or the service closes. */
  readonly pieces: AsyncIterable<string>;
  /** The last piece where the others end in a failure; without it the connection breaks. */
  readonly pieceOf?: (problem: Problem) => string;
}

/** A success, as the document shows it. */
interface HttpResponse {
  readonly description: string;
  readonly schema: TSchema;
  /** What the events tell that are sent instead to whoever accepts `text/event-stream` alone. */
  readonly events?: TSchema;
  /** What its headers say, by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The header of what was answered while the store could not be asked. */
export const DEGRADED = Object.freeze({
  name: 'x-reach-degraded',
  value: 'store',
  description: '`store` while the store cannot be asked: the answer is made of what was known before.',
});

/** One line of the route table: all that is known of a call before it runs. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In fastify's form: `/agents/:name`. */
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag:
    | 'routing'
    | 'requests'
    | 'sessions'
    | 'tickets'
    | 'tuning'
    | 'labels'
    | 'agents'
    | 'live'
    | 'service';
  readonly scope: Access;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Levels of objects and arrays in the body. */
  readonly bodyDepth: number;
  /** `reach`: the body's schema is documentation; the façade checks it and answers with a code of its own. */
  readonly bodyCheckedBy: 'schema' | 'reach';
  /** It goes on without the store, and each answer says so by a header. */
  readonly toldDegraded?: true;
  /** The content types of which its answer is one, where that is always an HttpStream. */
  readonly streams?: readonly string[];
  readonly schema: {
    readonly params?: TSchema;
    readonly querystring?: TSchema;
    readonly headers?: TSchema;
    readonly body?: TSchema;
    /** Success answers by HTTP status. */
    readonly response: Readonly<Record<number, HttpResponse>>;
  };
  /** Error codes besides those that every call may answer with. */
  readonly problems: readonly ErrorCode[];
  handle(call: HttpCall): HttpAnswer | HttpStream | Promise<HttpAnswer | HttpStream>;
}
