import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import { checkAddress } from '../net/address-guard.js';
import { endpointUrl } from '../net/agent-address.js';
import type { HttpClient } from '../net/http-client.js';
import { readTraceparent } from '../wire/traceparent.js';
import type { AgentAnswer, AgentCall, AgentTransport } from './agent-transport.js';
import { failedWithoutSending, failureAnswer } from './failure-answer.js';
import { readAgentAnswer } from './read-agent-answer.js';

/** The largest answer that an agent may give. */
const ANSWER_BYTES = 16 * 1_048_576;

/** The endpoint under the path of the address; an address that may not be called comes back as the error. */
function executeUrl({ address, executeEndpoint }: AgentCall): URL | ReachError {
  try {
    checkAddress(address);
    return new URL(endpointUrl(address, executeEndpoint));
  } catch (error) {
    return asReachError(error);
  }
}

function headersOf(call: AgentCall): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-reach-request-id': call.requestId,
    'x-reach-attempt': String(call.attempt),
    'x-reach-timeout-ms': String(Math.floor(call.timeoutMs)),
    'idempotency-key': call.requestId,
  };
  const traceparent = readTraceparent(call.traceparent);
  if (traceparent !== undefined) headers.traceparent = traceparent;
  return headers;
}

function bodyOf(call: AgentCall): string {
  const { sessionId, userId } = call;
  return JSON.stringify({
    request_id: call.requestId,
    capability_id: call.capabilityId,
    intent: call.intent ?? null,
    payload: call.payload,
    lane: call.lane,
    session:
      sessionId === undefined && userId === undefined
        ? undefined
        : { session_id: sessionId, user_id: userId },
  });
}

/** Calls agents over plain HTTP: one POST, one JSON answer. Owns its HTTP client. */
export class HttpTransport implements AgentTransport {
  readonly #http: HttpClient;
  readonly #clock: Clock;

  constructor(http: HttpClient, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  async call(call: AgentCall): Promise<AgentAnswer> {
    if (call.auth.type !== 'none') {
      const detail = `the manifest asks for auth of type ${call.auth.type}, which cannot be given yet`;
      return failedWithoutSending('AGENT_NEEDS_AUTH', detail);
    }
    const url = executeUrl(call);
    if (url instanceof ReachError) return failedWithoutSending(url.code, url.message);
    const outcome = await this.#http.request({
      url,
      headers: headersOf(call),
      body: bodyOf(call),
      timeoutMs: call.timeoutMs,
      maxBytes: ANSWER_BYTES,
    });
    if (outcome.kind === 'failed') return failureAnswer(outcome);
    return readAgentAnswer(outcome, this.#clock.now());
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}
