import type { IncomingHttpHeaders } from 'node:http';
import type { EndSignal } from '../end-signal.js';

/** What bounds a request. */
export interface HttpLimits {
  /** For everything: waiting for a connection, connecting, sending, and the answer to its last byte. */
  readonly timeoutMs: number;
  /** The largest body of an answer that is read. */
  readonly maxBytes: number;
}

/** The beginning of an answer. */
export interface HttpHead {
  readonly status: number;
  /** Names in lower case. Without `content-encoding: gzip`, since the body is decoded. */
  readonly headers: IncomingHttpHeaders;
}

/**
 * Asked at the head of an answer: what it gives takes the body as it comes, decoded, in place of the outcome; undefined
 * has it kept whole. `close` ends the request where it is; its outcome is `cancelled`.
 */
export type ReaderFor = (head: HttpHead, close: () => void) => ((chunk: Buffer) => void) | undefined;

/** One outgoing POST. */
export interface HttpRequest extends HttpLimits {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends it at once: its connection is closed, over h2 its stream. */
  readonly signal?: EndSignal | undefined;
  readonly readerFor?: ReaderFor;
}

/** Why there is no answer, or none that can be used. */
export type HttpFailureReason =
  /** The address guard refused the address, or what its name resolved to. */
  | 'forbidden'
  /** No connection: refused, no such name, no route, TLS, connect timeout. */
  | 'unreachable'
  /** `timeoutMs` passed. */
  | 'timeout'
  /** Its caller ended it. */
  | 'cancelled'
  /** The connection died before the head of an answer was there. */
  | 'reset'
  /** The connection died, or the body stopped fitting its length, after the head of the answer. */
  | 'broken_off'
  /** What came is not HTTP, or its body not of the encoding that it names. */
  | 'malformed'
  /** The head or the body of the answer is larger than allowed. */
  | 'too_large'
  /** This client is closed. */
  | 'closed';

export interface HttpResponse extends HttpHead {
  readonly kind: 'answered';
  /** Decoded; empty where a reader took it. */
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
