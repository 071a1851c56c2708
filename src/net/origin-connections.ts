import { Pool } from 'undici';
import { RunningCalls } from '../running-calls.js';
import { CONNECTIONS_PER_ORIGIN, type Connector, IDLE_TIMEOUT_MS } from './connector.js';
import { type ExchangeOutcome, exchange } from './http-exchange.js';
import { type HttpFailure, type HttpOutcome, type HttpRequest, notSent } from './http-outcome.js';
import type { RequestEnd } from './request-end.js';
import { WaitingLine } from './waiting-line.js';

/** A server's own hint of how long it keeps idle connections goes before ours, up to here. */
const LONGEST_IDLE_TIMEOUT_MS = 60_000;

/** All connections to one origin. */
export interface Connections {
  /** Whether no request is under way or waits. */
  readonly idle: boolean;
  send(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome>;
  /** Lets running requests end, sends waiting ones away, closes the connections. */
  close(): Promise<void>;
}

/** The pooled HTTP/1.1 connections to one origin, and the line of those who wait for one. */
export class OriginConnections implements Connections {
  readonly #newPool: () => Pool;
  #pool: Pool;
  /** Pools that were replaced, and still have requests to end. */
  readonly #replaced = new RunningCalls();
  readonly #line = new WaitingLine(CONNECTIONS_PER_ORIGIN);
  #inUse = 0;
  #closed = false;

  constructor(origin: string, connect: Connector) {
    const options = {
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      connect,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_TIMEOUT_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#newPool = () => new Pool(origin, options);
    this.#pool = this.#newPool();
  }

  get idle(): boolean {
    return this.#inUse === 0;
  }

  send(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    this.#inUse += 1;
    const entered = this.#line.enter(end);
    if (entered === true) return this.#exchanged(request, end);
    return Promise.resolve(entered).then((admitted) => {
      if (admitted) return this.#exchanged(request, end);
      this.#inUse -= 1;
      return sentAway(end);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#line.close();
    await this.#pool.close();
    await this.#replaced.ended();
  }

  /** With a place in the line, which it gives back. */
  #exchanged(request: HttpRequest, end: RequestEnd): Promise<HttpOutcome> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.leave();
        this.#inUse -= 1;
      };
      const over = ({ outcome, unsendable }: ExchangeOutcome) => {
        if (unsendable) this.#replacePool();
        leave();
        resolve(outcome);
      };
      const begin = (done: (outcome: ExchangeOutcome) => void) => {
        try {
          exchange(this.#pool, request, end, done);
        } catch (thrown) {
          leave();
          reject(thrown);
        }
      };
      begin((first) => {
        if (!first.untaken || this.#closed || end.cause !== undefined) over(first);
        else begin(over);
      });
    });
  }

  /** undici takes the connection to which it gave what it cannot send for a busy one, for ever. */
  #replacePool(): void {
    if (this.#closed) return;
    void this.#replaced.track(this.#pool.close());
    this.#pool = this.#newPool();
  }
}

function sentAway(end: RequestEnd): HttpFailure {
  const { reason, detail } = end.cause ?? { reason: 'closed' as const, detail: 'the client is closed' };
  return notSent(reason, detail);
}
