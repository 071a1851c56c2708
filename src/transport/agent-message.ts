import type { HttpRequest } from '../net/http-outcome.js';
import { readTraceparent } from '../wire/traceparent.js';
import type { AgentCall } from './agent-transport.js';

type Message = Pick<HttpRequest, 'headers' | 'body'>;

const bearer = (credential: string) => `Bearer ${credential}`;

/** What an agent is sent for a call. `credential`: what it wants to see, undefined where that is nothing. */
export function callMessage(call: AgentCall, credential: string | undefined): Message {
  const traceparent = readTraceparent(call.traceparent);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'gzip',
    'x-reach-request-id': call.requestId,
    'x-reach-attempt': String(call.attempt),
    'x-reach-timeout-ms': String(Math.floor(call.timeoutMs)),
    'idempotency-key': call.requestId,
  };
  if (credential !== undefined) headers.authorization = bearer(credential);
  if (traceparent !== undefined) headers.traceparent = traceparent;
  return {
    headers,
    body: JSON.stringify({
      request_id: call.requestId,
      capability_id: call.capabilityId,
      intent: call.intent ?? null,
      payload: call.payload,
      lane: call.lane,
      session: call.session,
      reply_to: call.replyTo,
    }),
  };
}

/** What an agent is sent where work that it has taken is no longer wanted. */
export function cancelMessage(requestId: string, credential: string | undefined): Message {
  return {
    headers: {
      'content-type': 'application/json',
      'x-reach-request-id': requestId,
      ...(credential !== undefined && { authorization: bearer(credential) }),
    },
    body: JSON.stringify({ request_id: requestId }),
  };
}
