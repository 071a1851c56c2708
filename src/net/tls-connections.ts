import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ConnectOptions, type Connector, tlsConnector } from './connector.js';
import type { ExchangeOutcome } from './http-exchange.js';
import { type HttpOutcome, type HttpRequest, notSent } from './http-outcome.js';
import { Http2Connections } from './http2-connections.js';
import { Http2Exchange } from './http2-exchange.js';
import { type Connections, OriginConnections } from './origin-connections.js';
import type { RequestEnd } from './request-end.js';

/**
 * The connections to one https origin. The first one shows whether its server speaks h2; undici's own h2 is not used,
 * as it never closes idle connections, and breaks requests off where a server only says that it takes no more.
 */
export class TlsConnections implements Connections {
  readonly #origin: string;
  readonly #options: ConnectOptions;
  readonly #http2: Http2Connections;
  #http1: OriginConnections | undefined;
  #inUse = 0;
  #closed = false;

  constructor(origin: string, options: ConnectOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#http2 = new Http2Connections({
      url: new URL(origin),
      connector: tlsConnector(options, true),
      onHttp1: (socket) => this.#fallBack(socket),
    });
  }

  get idle(): boolean {
    return this.#inUse === 0;
  }

  async send(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    this.#inUse += 1;
    try {
      const first = await this.#exchange(request, end);
      if (!first.untaken || this.#closed || end.cause !== undefined) return first.outcome;
      return (await this.#exchange(request, end)).outcome;
    } finally {
      this.#inUse -= 1;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#http2.close(), this.#http1?.close()]);
  }

  async #exchange(request: HttpRequest, end: RequestEnd): Promise<ExchangeOutcome> {
    const place = this.#http1 === undefined ? await this.#http2.enter(end) : undefined;
    if (place?.kind === 'failed') return { outcome: place, untaken: false };
    if (place?.kind !== 'http2') return { outcome: await this.#sendOverHttp1(request, end), untaken: false };
    const { connection } = place;
    try {
      // What became of it while it was idle is known once the loop has looked: Node does not tell a write that failed.
      if (connection.quiet) await nextTurn();
      const stream = connection.open(request);
      return stream === undefined
        ? { outcome: notSent('reset', 'the connection was closed'), untaken: true }
        : await new Http2Exchange(stream, request, end).outcome;
    } finally {
      this.#http2.leave(connection);
    }
  }

  async #sendOverHttp1(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    return this.#http1?.send(request, end) ?? notSent('closed', 'the client is closed');
  }

  #fallBack(socket: Socket): void {
    if (this.#http1 !== undefined) {
      socket.destroy();
      return;
    }
    const connector = tlsConnector(this.#options, false);
    this.#http1 = new OriginConnections(this.#origin, startingWith(socket, connector));
  }
}

/** Gives an open connection away first, where it still is open. */
function startingWith(socket: Socket, connector: Connector): Connector {
  let first: Socket | undefined = socket;
  return (options, callback) => {
    const open = first?.destroyed === false ? first : undefined;
    first = undefined;
    if (open === undefined) connector(options, callback);
    else queueMicrotask(() => callback(null, open));
  };
}
