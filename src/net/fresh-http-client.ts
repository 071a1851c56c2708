import { lookup as dnsLookup } from 'node:dns';
import { request as startRequest } from 'node:http';
import { isIP, type LookupFunction, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { asReachError } from '../errors.js';
import { checkHost, guardLookup } from './address-guard.js';
import { FreshExchange } from './fresh-exchange.js';
import { type HttpLimits, type HttpOutcome, notSent } from './http-outcome.js';
import { sharedLookup } from './shared-lookup.js';

function connectTo({ protocol, hostname, port }: URL, lookup: LookupFunction): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return tcpConnect({ host, port: Number(port || 80), lookup });
  const servername = isIP(host) === 0 ? host : '';
  return tlsConnect({ host, port: Number(port || 443), lookup, servername, ALPNProtocols: ['http/1.1'] });
}

/**
 * The way out for probes: GETs, each over a connection of its own, which ends with it. So an answer shows that the
 * peer takes connections now, and none lies idle, however many peers there are. Addresses are checked and redirects
 * left alone as `HttpClient` does. Node's own client, since a fresh connection costs undici more.
 */
export class FreshHttpClient {
  readonly #lookup: LookupFunction;
  readonly #running = new Set<FreshExchange>();
  #closed = false;

  /** `lookup` resolves names, by default as the system does; what it gives is checked. */
  constructor(lookup: LookupFunction = dnsLookup) {
    this.#lookup = guardLookup(sharedLookup(lookup));
  }

  /** Reads the whole answer. Never rejects for what a peer or the network does. */
  async get(url: URL, limits: HttpLimits): Promise<HttpOutcome> {
    if (this.#closed) return notSent('closed', 'the client is closed');
    try {
      checkHost(url);
    } catch (error) {
      return notSent('forbidden', asReachError(error).message);
    }
    const socket = connectTo(url, this.#lookup);
    const request = startRequest({
      path: url.pathname + url.search,
      headers: { host: url.host, accept: '*/*', connection: 'close' },
      // An agent, which would keep connections, costs a third on top.
      createConnection: () => socket,
    });
    const exchange = new FreshExchange(request, socket, limits);
    this.#running.add(exchange);
    try {
      return await exchange.outcome;
    } finally {
      this.#running.delete(exchange);
    }
  }

  /** No new requests; running ones end now, with their connections. */
  close(): void {
    this.#closed = true;
    for (const exchange of this.#running) exchange.giveUp('closed', 'the client is closed');
  }
}
