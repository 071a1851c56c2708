import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ReachError } from '../errors.js';
import { type Fault, wordsOf } from './fault.js';
import type { HttpFailureReason, HttpLimits, HttpOutcome } from './http-outcome.js';
import { RequestEnd } from './request-end.js';

/** One request of Node's client and its answer. Whatever it comes to, its connection ends with it. */
export class FreshExchange {
  readonly outcome: Promise<HttpOutcome>;
  readonly #request: ClientRequest;
  readonly #maxBytes: number;
  readonly #end: RequestEnd;
  #resolve: (outcome: HttpOutcome) => void = () => {};
  #response: IncomingMessage | undefined;
  #connected = false;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Sends the request, which has no body. */
  constructor(request: ClientRequest, socket: Socket, { timeoutMs, maxBytes }: HttpLimits) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#end = new RequestEnd(timeoutMs);
    this.#end.tell(({ reason, detail }) => this.giveUp(reason, detail));
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      this.#connected = true;
    });
    request.on('response', (response) => this.#read(response));
    request.on('error', (fault) => this.#fail(fault));
    // The connection may go without an error, as where the answer switches protocols. A response tells by itself.
    request.on('close', () => {
      if (this.#response === undefined) this.giveUp('reset', 'the connection was closed without an answer');
    });
    request.end();
  }

  /** Ends it without an answer. Does nothing where it has ended. */
  giveUp(reason: HttpFailureReason, detail: string): void {
    const status = this.#response?.statusCode;
    this.#settle({ kind: 'failed', reason, detail, sent: this.#connected, status });
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    response.on('error', (fault) => this.#fail(fault));
    response.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#maxBytes) this.#giveUpTooLarge();
      else this.#chunks.push(chunk);
    });
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      this.#settle({ kind: 'answered', status, headers, body: Buffer.concat(this.#chunks, this.#bytes) });
    });
    if (Number(response.headers['content-length']) > this.#maxBytes) this.#giveUpTooLarge();
  }

  #giveUpTooLarge(): void {
    this.giveUp('too_large', `the answer is larger than ${this.#maxBytes} bytes`);
  }

  #fail(fault: Fault): void {
    this.giveUp(this.#reasonOf(fault), wordsOf(fault));
  }

  #reasonOf(fault: Fault): HttpFailureReason {
    const code = fault.code ?? '';
    if (fault instanceof ReachError) return 'forbidden';
    if (code === 'HPE_HEADER_OVERFLOW') return 'too_large';
    if (this.#response !== undefined) return 'broken_off';
    if (code.startsWith('HPE_')) return 'malformed';
    return this.#connected ? 'reset' : 'unreachable';
  }

  /** Destroying the request tells more of it to its listeners, so what came first counts. */
  #settle(outcome: HttpOutcome): void {
    this.#end.dispose();
    this.#chunks = [];
    this.#resolve(outcome);
    this.#request.destroy();
  }
}
