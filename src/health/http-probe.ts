import type { Clock } from '../clock.js';
import type { FreshHttpClient } from '../net/fresh-http-client.js';
import type { HttpFailure, HttpFailureReason, HttpOutcome } from '../net/http-outcome.js';
import { PROBE_TIMEOUT_MS, type ProbeClient, type ProbeResult } from './probe.js';

/** Of an answer, as much as is read; one that is larger is none. */
const ANSWER_BYTES = 65_536;

const LIMITS = { timeoutMs: PROBE_TIMEOUT_MS, maxBytes: ANSWER_BYTES } as const;

/** What needs bytes of a peer to happen. */
const ANSWERED: ReadonlySet<HttpFailureReason> = new Set(['malformed', 'too_large']);

/** Probes over HTTP. Owns its HTTP client. */
export class HttpProbe implements ProbeClient {
  readonly #http: FreshHttpClient;
  readonly #clock: Clock;

  constructor(http: FreshHttpClient, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  async probe(url: string): Promise<ProbeResult> {
    const startedAt = this.#clock.monotonic();
    const outcome = await this.#http.get(new URL(url), LIMITS);
    return resultOf(outcome, this.#clock.monotonic() - startedAt);
  }

  close(): void {
    this.#http.close();
  }
}

function resultOf(outcome: HttpOutcome, rttMs: number): ProbeResult {
  if (outcome.kind === 'failed') return failureOf(outcome);
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'ok', rttMs };
  const detail = `it answered ${status}`;
  if (status === 401 || status === 403) return { kind: 'needs_auth', detail };
  return { kind: 'failed', by: 'answer', detail };
}

function failureOf({ reason, status, detail }: HttpFailure): ProbeResult {
  if (status !== undefined)
    return { kind: 'failed', by: 'answer', detail: `it answered ${status}, but ${detail}` };
  return { kind: 'failed', by: ANSWERED.has(reason) ? 'answer' : 'network', detail };
}
