import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { IDLE_TIMEOUT_MS } from './connector.js';
import type { HttpRequest } from './http-outcome.js';

/** Streams of one connection at once, where the server does not want fewer. */
export const STREAMS_PER_CONNECTION = 100;
/** Of an answer before it is read; a round trip for each 64 KB, as Node has it, makes large answers slow. */
const WINDOW_BYTES = 262_144;
/** In MB, for bodies that wait to be sent: a hundred of the largest; Node would refuse streams beyond ten. */
const SESSION_MEMORY_MB = 128;

/** One connection that carries many requests at once. It goes by itself: when it dies, is bid farewell, or is idle. */
export class Http2Connection {
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  readonly #idle: NodeJS.Timeout;
  #streams = 0;
  #most: number | undefined;

  /** Over a socket on which h2 was agreed. `onChange` is told when it may have room, or has gone. */
  constructor(origin: string, socket: Socket, onChange: () => void) {
    this.#socket = socket;
    this.#session = connect(origin, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    });
    this.#idle = setTimeout(() => {
      if (this.#streams === 0) this.#session.close();
    }, IDLE_TIMEOUT_MS);
    this.#idle.unref();
    this.#session.once('connect', () => this.#session.setLocalWindowSize(2 * WINDOW_BYTES));
    // Each request is told of it by its stream.
    this.#session.on('error', () => {});
    this.#session.on('goaway', onChange);
    this.#session.on('remoteSettings', ({ maxConcurrentStreams = STREAMS_PER_CONNECTION }) => {
      this.#most = Math.min(maxConcurrentStreams, STREAMS_PER_CONNECTION);
      onChange();
    });
    this.#session.on('close', () => {
      clearTimeout(this.#idle);
      onChange();
    });
  }

  /** Takes no more requests. The session learns later than its socket that the server hung up. */
  get gone(): boolean {
    return this.#session.closed || this.#session.destroyed || !this.#socket.readable;
  }

  /** Whether the server has said how much it takes. */
  get agreed(): boolean {
    return this.#most !== undefined;
  }

  /** Whether nothing goes over it but the one request that has taken room. */
  get quiet(): boolean {
    return this.#streams === 1;
  }

  get hasRoom(): boolean {
    return this.#most !== undefined && this.#streams < this.#most && !this.gone;
  }

  /** Takes a stream's room, which must be given back by `release`. */
  reserve(): void {
    this.#streams += 1;
  }

  release(): void {
    this.#streams -= 1;
    if (this.#streams === 0) this.#idle.refresh();
  }

  /** Opens the stream of a request; undefined where the connection has gone since its room was taken. */
  open({ url, headers, body }: HttpRequest): ClientHttp2Stream | undefined {
    if (this.gone) return undefined;
    return this.#session.request({
      ...headers,
      ':method': 'POST',
      ':path': url.pathname + url.search,
      'content-length': Buffer.byteLength(body),
    });
  }

  /** Lets running requests end. */
  close(): Promise<void> {
    if (this.#session.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.#session.close(resolve));
  }
}
