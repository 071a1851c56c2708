import type { LookupFunction } from 'node:net';
import { Pool } from 'undici';
import { exchange } from './http-exchange.js';
import { type HttpFailure, type HttpOutcome, type HttpRequest, notSent } from './http-outcome.js';
import type { RequestEnd } from './request-end.js';
import { WaitingLine } from './waiting-line.js';

/** Connections to one origin; what comes on top waits. */
export const CONNECTIONS_PER_ORIGIN = 64;

/** A new connection is given less than a lost packet's second: another instance is faster. TLS needs more turns. */
const CONNECT_TIMEOUT_MS = { http: 200, https: 1_000 };
/** Happy eyeballs must have tried the second address family before the connect timeout. */
const FAMILY_ATTEMPT_TIMEOUT_MS = 80;
/** Idle connections are closed before most servers (5 s and more) close them. A server's own hint goes first. */
const IDLE_TIMEOUT_MS = 4_000;
const LONGEST_IDLE_TIMEOUT_MS = 60_000;

/** The pooled connections to one origin, and the line of those who wait for one. */
export class OriginConnections {
  readonly #pool: Pool;
  readonly #line = new WaitingLine(CONNECTIONS_PER_ORIGIN);
  #inUse = 0;
  #closed = false;

  constructor(origin: string, lookup: LookupFunction) {
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      connect: {
        lookup,
        timeout: origin.startsWith('https:') ? CONNECT_TIMEOUT_MS.https : CONNECT_TIMEOUT_MS.http,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: FAMILY_ATTEMPT_TIMEOUT_MS,
      },
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_TIMEOUT_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  get idle(): boolean {
    return this.#inUse === 0;
  }

  async send(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    this.#inUse += 1;
    try {
      if (!(await this.#line.enter(end))) return this.#sentAway(end);
      try {
        return await this.#exchange(request, end);
      } finally {
        this.#line.leave();
      }
    } finally {
      this.#inUse -= 1;
    }
  }

  /** Lets running requests end, sends waiting ones away, closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#line.close();
    await this.#pool.close();
  }

  async #exchange(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    const first = await exchange(this.#pool, request, end);
    if (!first.diedIdle || this.#closed || end.cause !== undefined) return first.outcome;
    return (await exchange(this.#pool, request, end)).outcome;
  }

  #sentAway(end: RequestEnd): HttpFailure {
    const { reason, detail } = end.cause ?? { reason: 'closed' as const, detail: 'the client is closed' };
    return notSent(reason, detail);
  }
}
