import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { ReachError } from '../errors.js';
import { type Fault, wordsOf } from './fault.js';
import type { HttpFailureReason, HttpOutcome, HttpRequest } from './http-outcome.js';
import type { RequestEnd } from './request-end.js';
import { ResponseReader } from './response-reader.js';

export interface ExchangeOutcome {
  readonly outcome: HttpOutcome;
  /** Nobody can have the request: its connection had died while idle, or gave it back. */
  readonly untaken: boolean;
  /** It is none that HTTP can carry. Whether it is sent again, or by whom, changes nothing. */
  readonly unsendable?: boolean;
}

/** Where a request stands when it fails. */
interface Progress {
  readonly started: boolean;
  readonly headSeen: boolean;
}

const CONNECTION_DIED = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);
const CLIENT_CLOSED = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** Died on the wire, or by bytes that nobody had asked for. */
function connectionDied(fault: Fault): boolean {
  return CONNECTION_DIED.has(fault.code ?? '') || fault instanceof errors.HTTPParserError;
}

function reasonOf(fault: Fault, { started, headSeen }: Progress): HttpFailureReason {
  const code = fault.code ?? '';
  if (fault instanceof ReachError) return 'forbidden';
  if (CLIENT_CLOSED.has(code)) return 'closed';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  if (headSeen) return 'broken_off';
  if (fault instanceof errors.HTTPParserError) return 'malformed';
  return started ? 'reset' : 'unreachable';
}

/** The one place that knows how far a request over HTTP/1.1 came: its undici handler. */
class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #reader: ResponseReader;
  readonly #end: RequestEnd;
  readonly #done: (outcome: ExchangeOutcome) => void;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(request: HttpRequest, end: RequestEnd, done: (outcome: ExchangeOutcome) => void) {
    this.#reader = new ResponseReader(request, this);
    this.#end = end;
    this.#done = done;
    end.tell(({ reason, detail }) => this.giveUp(reason, detail));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici cannot take back what waits for a connection. A throw skips it without hurting the connection.
    if (this.#settled) throw new Error('ended before it began');
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx only announces the answer.
    if (status >= 200) this.#reader.head(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader.data(chunk);
  }

  onResponseEnd(): void {
    this.#reader.end();
  }

  onResponseError(_: unknown, fault: Fault): void {
    const { status } = this.#reader;
    const progress: Progress = { started: this.#controller !== undefined, headSeen: status !== undefined };
    // A failed write means that the kernel did not take all of the request: the peer cannot have the whole.
    const sent = progress.started && fault.syscall !== 'write';
    const untaken = !sent && fault.syscall !== 'connect' && connectionDied(fault);
    const reason = reasonOf(fault, progress);
    this.#settle(
      { kind: 'failed', reason, detail: wordsOf(fault), sent, status },
      untaken,
      fault.code === 'UND_ERR_INVALID_ARG',
    );
  }

  answered(outcome: HttpOutcome): void {
    this.#settle(outcome);
  }

  giveUp(reason: HttpFailureReason, detail: string): void {
    if (this.#settled) return;
    const sent = this.#controller !== undefined;
    this.#settle({ kind: 'failed', reason, detail, sent, status: this.#reader.status });
    this.#controller?.abort(new Error(detail));
  }

  #settle(outcome: HttpOutcome, untaken = false, unsendable = false): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reader.discard();
    this.#end.tell(undefined);
    this.#done({ outcome, untaken, unsendable });
  }
}

/** Sends one request over a dispatcher, and tells what came of it. `end` is its only deadline, so undici's own timers must be off. */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  end: RequestEnd,
  done: (outcome: ExchangeOutcome) => void,
): void {
  const { url, headers, body } = request;
  dispatcher.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
    new HttpExchange(request, end, done),
  );
}
