import type { IncomingHttpHeaders } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { HttpFailureReason, HttpHead, HttpRequest, HttpResponse } from './http-outcome.js';

/** Whoever reads an answer off a connection. */
interface Connected {
  /** The answer is there, to its last byte. */
  answered(response: HttpResponse): void;
  /** The answer cannot be used, or nobody wants more of it: it ends here. */
  giveUp(reason: HttpFailureReason, detail: string): void;
}

function isGzip(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && /^\s*(x-)?gzip\s*$/i.test(encoding);
}

/** Puts an answer together, or hands it on as it comes: decoded, and within its limit before and after. */
export class ResponseReader {
  readonly #request: HttpRequest;
  readonly #connected: Connected;
  #head: HttpHead | undefined;
  #take: ((chunk: Buffer) => void) | undefined;
  #gunzip: Gunzip | undefined;
  #chunks: Buffer[] = [];
  #received = 0;
  #decoded = 0;

  constructor(request: HttpRequest, connected: Connected) {
    this.#request = request;
    this.#connected = connected;
  }

  /** Of the answer; undefined until its head is there. */
  get status(): number | undefined {
    return this.#head?.status;
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    const gzip = isGzip(headers);
    const head = { status, headers: gzip ? { ...headers, 'content-encoding': undefined } : headers };
    this.#head = head;
    if (Number(headers['content-length']) > this.#request.maxBytes) {
      this.#giveUpTooLarge();
      return;
    }
    const close = () => this.#connected.giveUp('cancelled', 'the answer is not read any further');
    this.#take = this.#request.readerFor?.(head, close);
    if (gzip) this.#gunzip = this.#newGunzip();
  }

  data(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > this.#request.maxBytes) this.#giveUpTooLarge();
    else if (this.#gunzip === undefined) this.#read(chunk);
    else this.#gunzip.write(chunk);
  }

  end(): void {
    const announced = this.#head?.headers['content-length'];
    // undici looks after it, but over h2 a stream may be taken back as if it had come to its end.
    if (announced !== undefined && Number(announced) !== this.#received) {
      this.#connected.giveUp('broken_off', `${this.#received} bytes came of ${announced}`);
    } else if (this.#gunzip !== undefined && this.#received > 0) this.#gunzip.end();
    else this.#end();
  }

  /** Nothing of it is wanted any more. */
  discard(): void {
    this.#chunks = [];
    this.#gunzip?.destroy();
  }

  #newGunzip(): Gunzip {
    return createGunzip()
      .on('data', (chunk: Buffer) => this.#readDecoded(chunk))
      .on('end', () => this.#end())
      .on('error', ({ message }) => this.#connected.giveUp('malformed', `the body is not gzip: ${message}`));
  }

  #read(chunk: Buffer): void {
    if (this.#take === undefined) this.#chunks.push(chunk);
    else this.#take(chunk);
  }

  #readDecoded(chunk: Buffer): void {
    this.#decoded += chunk.length;
    if (this.#decoded > this.#request.maxBytes) this.#giveUpTooLarge();
    else this.#read(chunk);
  }

  #end(): void {
    if (this.#head === undefined) {
      this.#connected.giveUp('malformed', 'the answer has no head');
      return;
    }
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const { status, headers } = this.#head;
    this.#connected.answered({ kind: 'answered', status, headers, body });
  }

  #giveUpTooLarge(): void {
    this.#connected.giveUp('too_large', `the answer is larger than ${this.#request.maxBytes} bytes`);
  }
}
