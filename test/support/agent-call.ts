import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { HttpClient } from '../../src/net/http-client.js';
import type { AgentCall, CallListener } from '../../src/transport/agent-transport.js';
import { HttpTransport } from '../../src/transport/http-transport.js';
import { CERT } from './self-signed.js';

interface TransportOptions {
  readonly allowedHosts?: readonly string[];
  readonly clock?: Clock;
}

/** A transport that trusts the servers of `local-servers.ts`, closed when the test is finished. */
export function newTransport({
  allowedHosts = [],
  clock = systemClock,
}: TransportOptions = {}): HttpTransport {
  const transport = new HttpTransport({ http: new HttpClient({ ca: CERT }), clock, allowedHosts });
  onTestFinished(() => transport.close());
  return transport;
}

/** A call of an agent at this address. */
export function callOf(address: string | URL, overrides: Partial<AgentCall> = {}): AgentCall {
  return {
    address: String(address),
    executeEndpoint: '/execute',
    auth: { type: 'none' },
    capabilityId: 'weekly',
    requestId: 'request-1',
    attempt: 1,
    timeoutMs: 20_000,
    ackMs: 20_000,
    intent: '生成周报',
    payload: { team: 'sales' },
    lane: 'P1',
    session: undefined,
    replyTo: null,
    traceparent: undefined,
    signal: undefined,
    ...overrides,
  };
}

/** Keeps what an agent tells while it works, in order. */
export class CallLog implements CallListener {
  readonly heard: unknown[] = [];

  acknowledged(): void {
    this.heard.push('acknowledged');
  }

  progress(data: unknown): void {
    this.heard.push({ progress: data });
  }

  delta(data: unknown): void {
    this.heard.push({ delta: data });
  }
}
