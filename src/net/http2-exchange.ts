import { type ClientHttp2Stream, constants } from 'node:http2';
import { type Fault, wordsOf } from './fault.js';
import type { ExchangeOutcome } from './http-exchange.js';
import type { HttpFailureReason, HttpOutcome, HttpRequest } from './http-outcome.js';
import type { RequestEnd } from './request-end.js';
import { ResponseReader } from './response-reader.js';

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** The one place that knows how far a request over h2 came: the owner of its stream. */
export class Http2Exchange {
  readonly outcome: Promise<ExchangeOutcome>;
  readonly #stream: ClientHttp2Stream;
  readonly #reader: ResponseReader;
  readonly #end: RequestEnd;
  #resolve: (outcome: ExchangeOutcome) => void = () => {};
  #settled = false;

  /** Sends the request over a stream that was opened for it. `end` is its only deadline. */
  constructor(stream: ClientHttp2Stream, request: HttpRequest, end: RequestEnd) {
    this.#stream = stream;
    this.#reader = new ResponseReader(request, this);
    this.#end = end;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    stream.on('response', (headers) => this.#reader.head(headers[':status'] ?? 0, headers));
    stream.on('data', (chunk: Buffer) => this.#reader.data(chunk));
    stream.on('end', () => this.#readEnd());
    stream.on('error', (fault) => this.#fail(fault));
    // A stream may go without an error, as where its peer takes it back or its connection is closed.
    stream.on('close', () => this.#fail(new Error('the stream was closed before its end')));
    stream.end(request.body);
    end.tell(({ reason, detail }) => this.giveUp(reason, detail));
  }

  answered(outcome: HttpOutcome): void {
    this.#settle(outcome);
  }

  giveUp(reason: HttpFailureReason, detail: string): void {
    if (this.#settled) return;
    this.#settle({ kind: 'failed', reason, detail, sent: true, status: this.#reader.status });
    this.#stream.close(NGHTTP2_CANCEL);
  }

  /** Node ends a stream that its peer broke off as it ends a whole one. */
  #readEnd(): void {
    if (this.#stream.rstCode === NGHTTP2_NO_ERROR) this.#reader.end();
  }

  #fail(fault: Fault): void {
    const { status } = this.#reader;
    const { rstCode, writableFinished, session } = this.#stream;
    // What was given back, or comes after a farewell, nobody has looked at (RFC 9113, 6.8 and 8.7).
    const refused = rstCode === NGHTTP2_REFUSED_STREAM;
    const sent = writableFinished && !refused;
    const connectionDied = session === undefined || session.destroyed;
    this.#settle(
      {
        kind: 'failed',
        reason: status === undefined ? 'reset' : 'broken_off',
        detail: wordsOf(fault),
        sent,
        status,
      },
      !sent && (refused || connectionDied),
    );
  }

  #settle(outcome: HttpOutcome, untaken = false): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reader.discard();
    this.#end.tell(undefined);
    this.#resolve({ outcome, untaken });
  }
}
