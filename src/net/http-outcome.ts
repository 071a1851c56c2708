import type { IncomingHttpHeaders } from 'node:http';

/** What bounds a request. */
export interface HttpLimits {
  /** For everything: waiting for a connection, connecting, sending, and the answer to its last byte. */
  readonly timeoutMs: number;
  /** The largest body of an answer that is read. */
  readonly maxBytes: number;
}

/** One outgoing POST. */
export interface HttpRequest extends HttpLimits {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why there is no answer, or none that can be used. */
export type HttpFailureReason =
  /** The address guard refused the address, or what its name resolved to. */
  | 'forbidden'
  /** No connection: refused, no such name, no route, TLS, connect timeout. */
  | 'unreachable'
  /** `timeoutMs` passed. */
  | 'timeout'
  /** The connection died before the head of an answer was there. */
  | 'reset'
  /** The connection died, or the body stopped fitting its length, after the head of the answer. */
  | 'broken_off'
  /** What came is not HTTP. */
  | 'malformed'
  /** The head or the body of the answer is larger than allowed. */
  | 'too_large'
  /** This client is closed. */
  | 'closed';

export interface HttpResponse {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpFailure {
  readonly kind: 'failed';
  readonly reason: HttpFailureReason;
  readonly detail: string;
  /** The peer may have the whole request, and so may have acted on it. */
  readonly sent: boolean;
  /** Of the answer that then broke; undefined where no head came. */
  readonly status: number | undefined;
}

/** What became of a request. Nothing is thrown for what a peer does. */
export type HttpOutcome = HttpResponse | HttpFailure;

/** For a request that never left. */
export function notSent(reason: HttpFailureReason, detail: string): HttpFailure {
  return { kind: 'failed', reason, detail, sent: false, status: undefined };
}
