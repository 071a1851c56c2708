import { lookup as dnsLookup } from 'node:dns';
import { type RequestOptions as GetOptions, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { asReachError } from '../errors.js';
import { checkHost, guardLookup } from './address-guard.js';
import { FreshExchange } from './fresh-exchange.js';
import { type HttpLimits, type HttpOutcome, notSent } from './http-outcome.js';
import { sharedLookup } from './shared-lookup.js';

/**
 * The way out for probes: GETs, each over a connection of its own, which ends with it. So an answer shows that the
 * peer takes connections now, and none lies idle, however many peers there are. Addresses are checked and redirects
 * left alone as `HttpClient` does. Node's own client, since a fresh connection costs undici more.
 */
export class FreshHttpClient {
  readonly #lookup: LookupFunction;
  readonly #http = new HttpAgent({ keepAlive: false });
  readonly #https = new HttpsAgent({ keepAlive: false });
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
    const options: GetOptions = { lookup: this.#lookup, headers: { accept: '*/*' } };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: this.#https })
        : httpRequest(url, { ...options, agent: this.#http });
    const exchange = new FreshExchange(request, limits);
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
    this.#http.destroy();
    this.#https.destroy();
  }
}
