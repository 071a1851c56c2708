import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { asReachError } from '../errors.js';
import { checkHost, guardLookup } from './address-guard.js';
import { type ConnectOptions, plainConnector } from './connector.js';
import { type HttpOutcome, type HttpRequest, notSent } from './http-outcome.js';
import { type Connections, OriginConnections } from './origin-connections.js';
import { RequestEnd } from './request-end.js';
import { TlsConnections } from './tls-connections.js';

/** Origins whose connections are kept. Past it, those that were idle longest are closed. */
export const KEPT_ORIGINS = 256;

/** What differs where no name service and no authority is asked. */
interface HttpClientOptions {
  /** Resolves names, by default as the system does; what it gives is checked. */
  readonly lookup?: LookupFunction;
  /** The authorities to trust in place of those that Node knows, as PEM. */
  readonly ca?: string;
}

/**
 * The way out for calls: pooled connections to any number of origins, over TLS also h2, each address checked before
 * the request and again when its name is resolved. Redirects are answers like any other, never followed.
 */
export class HttpClient {
  readonly #options: ConnectOptions;
  /** Least recently used first. */
  readonly #origins = new Map<string, Connections>();
  #closing: Promise<void> | undefined;

  constructor({ lookup = dnsLookup, ca }: HttpClientOptions = {}) {
    this.#options = { lookup: guardLookup(lookup), ca };
  }

  /** Sends a request and reads the whole answer. Never rejects for what a peer or the network does. */
  request(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#closing !== undefined) return Promise.resolve(notSent('closed', 'the client is closed'));
    try {
      checkHost(request.url);
    } catch (error) {
      return Promise.resolve(notSent('forbidden', asReachError(error).message));
    }
    const end = new RequestEnd(request.timeoutMs, request.signal);
    if (end.cause !== undefined) {
      end.dispose();
      return Promise.resolve(notSent(end.cause.reason, end.cause.detail));
    }
    const over = (outcome: HttpOutcome) => {
      end.dispose();
      return outcome;
    };
    const broken = (thrown: unknown) => {
      end.dispose();
      throw thrown;
    };
    return this.#connectionsTo(request.url).send(request, end).then(over, broken);
  }

  /** No new requests; running ones end by themselves or by their deadline, then connections are closed. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#origins.values()].map((origin) => origin.close())).then(() => {});
    return this.#closing;
  }

  #connectionsTo({ origin, protocol }: URL): Connections {
    const connections =
      this.#origins.get(origin) ??
      (protocol === 'https:'
        ? new TlsConnections(origin, this.#options)
        : new OriginConnections(origin, plainConnector(this.#options)));
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
