import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ReachError } from '../errors.js';
import { CONNECTIONS_PER_ORIGIN, type Connector } from './connector.js';
import { type Fault, wordsOf } from './fault.js';
import { type HttpFailure, notSent } from './http-outcome.js';
import { Http2Connection, STREAMS_PER_CONNECTION } from './http2-connection.js';
import type { RequestEnd } from './request-end.js';

/** Where a request may go: over a connection in which it has a stream's room, or over HTTP/1.1; or why nowhere. */
export type Http2Place =
  | { readonly kind: 'http2'; readonly connection: Http2Connection }
  | { readonly kind: 'http1' }
  | HttpFailure;

interface Origin {
  readonly url: URL;
  readonly connector: Connector;
  /** Takes over a connection of a server that does not speak h2. */
  readonly onHttp1: (socket: Socket) => void;
}

function failureOf(fault: Fault): HttpFailure {
  return notSent(fault instanceof ReachError ? 'forbidden' : 'unreachable', wordsOf(fault));
}

/** The h2 connections to one origin, filled one after the other, and the line of those who wait for room. */
export class Http2Connections {
  readonly #origin: Origin;
  readonly #waiting = new Set<(place: Http2Place) => void>();
  #connections: Http2Connection[] = [];
  #connecting = 0;
  #closed = false;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Room for one stream, which must be given back by `leave`. */
  enter(end: RequestEnd): Http2Place | Promise<Http2Place> {
    const place = this.#freePlace();
    if (place !== undefined) return place;
    return new Promise((resolve) => {
      const settle = (found: Http2Place) => {
        this.#waiting.delete(settle);
        end.tell(undefined);
        resolve(found);
      };
      this.#waiting.add(settle);
      end.tell(({ reason, detail }) => settle(notSent(reason, detail)));
      this.#connectWhereShort();
    });
  }

  leave(connection: Http2Connection): void {
    connection.release();
    this.#admit();
  }

  /** Lets running requests end, sends waiting ones away, closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sendAll(notSent('closed', 'the client is closed'));
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #freePlace(): Http2Place | undefined {
    const connection = this.#connections.find(({ hasRoom }) => hasRoom);
    connection?.reserve();
    return connection && { kind: 'http2', connection };
  }

  #admit(): void {
    const lost = this.#connections.filter(({ gone }) => gone);
    if (lost.length > 0) this.#connections = this.#connections.filter(({ gone }) => !gone);
    // As where a server asks for a certificate of ours: another connection would end in the same way.
    if (lost.some(({ agreed }) => !agreed)) this.#failed(new Error('closed before it could be used'));
    for (const settle of this.#waiting) {
      const place = this.#freePlace();
      if (place === undefined) break;
      settle(place);
    }
    this.#connectWhereShort();
  }

  #sendAll(place: Http2Place): void {
    for (const settle of [...this.#waiting]) settle(place);
  }

  #connectWhereShort(): void {
    const opening = this.#connections.filter(({ agreed, gone }) => !agreed && !gone).length;
    while (
      !this.#closed &&
      this.#waiting.size > (this.#connecting + opening) * STREAMS_PER_CONNECTION &&
      this.#connections.length + this.#connecting < CONNECTIONS_PER_ORIGIN
    ) {
      this.#connect();
    }
  }

  #connect(): void {
    const { url, connector } = this.#origin;
    const { host, protocol, port } = url;
    this.#connecting += 1;
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    connector({ hostname, host, protocol, port }, (fault, socket) => {
      this.#connecting -= 1;
      if (fault !== null) this.#failed(fault);
      else if (this.#closed) socket.destroy();
      else this.#connected(socket);
    });
  }

  #connected(socket: Socket): void {
    const { url, onHttp1 } = this.#origin;
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') {
      this.#connections.push(new Http2Connection(url.origin, socket, () => this.#admit()));
      this.#admit();
    } else {
      onHttp1(socket);
      this.#sendAll({ kind: 'http1' });
    }
  }

  /** A connection could not be had. Who waits goes on waiting where room may still come. */
  #failed(fault: Fault): void {
    if (this.#connecting === 0 && this.#connections.length === 0) this.#sendAll(failureOf(fault));
  }
}
