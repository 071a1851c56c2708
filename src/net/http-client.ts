import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { asReachError } from '../errors.js';
import { checkHost, guardLookup } from './address-guard.js';
import { type HttpOutcome, type HttpRequest, notSent } from './http-outcome.js';
import { OriginConnections } from './origin-connections.js';
import { RequestEnd } from './request-end.js';

/** Origins whose connections are kept. Past it, those that were idle longest are closed. */
export const KEPT_ORIGINS = 256;

/**
 * The way out for calls: pooled connections to any number of origins, each address checked before
 * the request and again when its name is resolved. Redirects are answers like any other, never followed.
 */
export class HttpClient {
  readonly #lookup: LookupFunction;
  /** Least recently used first. */
  readonly #origins = new Map<string, OriginConnections>();
  #closing: Promise<void> | undefined;

  /** `lookup` resolves names, by default as the system does; what it gives is checked. */
  constructor(lookup: LookupFunction = dnsLookup) {
    this.#lookup = guardLookup(lookup);
  }

  /** Sends a request and reads the whole answer. Never rejects for what a peer or the network does. */
  async request(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#closing !== undefined) return notSent('closed', 'the client is closed');
    try {
      checkHost(request.url);
    } catch (error) {
      return notSent('forbidden', asReachError(error).message);
    }
    const end = new RequestEnd(request.timeoutMs);
    try {
      return await this.#connectionsTo(request.url.origin).send(request, end);
    } finally {
      end.dispose();
    }
  }

  /** No new requests; running ones end by themselves or by their deadline, then connections are closed. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#origins.values()].map((origin) => origin.close())).then(() => {});
    return this.#closing;
  }

  #connectionsTo(origin: string): OriginConnections {
    const connections = this.#origins.get(origin) ?? new OriginConnections(origin, this.#lookup);
    this.#origins.delete(origin);
    this.#closeIdleOrigins();
    this.#origins.set(origin, connections);
    return connections;
  }

  /** Makes room for one origin. Origins in use stay, so that no running request loses its connection. */
  #closeIdleOrigins(): void {
    if (this.#origins.size < KEPT_ORIGINS) return;
    for (const [origin, connections] of this.#origins) {
      if (!connections.idle) continue;
      this.#origins.delete(origin);
      void connections.close();
      if (this.#origins.size < KEPT_ORIGINS) return;
    }
  }
}
