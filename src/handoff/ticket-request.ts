import { fieldTypesOf } from '../live/payload-types.js';
import { hashedUser } from '../record/hashed-user.js';
import type { Ticket } from '../wire/tickets.js';
import { readTraceparent } from '../wire/traceparent.js';
import type { Occasion } from './occasion.js';

/** What a person reads of an intent, and of the name of a field; more would fill the memory. */
const INTENT_CHARS = 1_000;
const FIELD_CHARS = 100;

type TicketRequest = Ticket['requests'][number];

/** What a ticket tells of a request: of its payload no value, of its user a hash. `salt`: that of the records. */
export function ticketRequestOf(occasion: Occasion, salt: string, nowMs: number): TicketRequest {
  const { request, requestId, traceparent, decision } = occasion;
  const { intent, payload, userId, sessionId } = request;
  const fields = Object.entries(fieldTypesOf(payload));
  const [, traceId = null] = readTraceparent(traceparent)?.split('-') ?? [];
  return {
    requestId,
    routeId: decision?.routeId ?? null,
    at: new Date(nowMs).toISOString(),
    intent: intent?.slice(0, INTENT_CHARS) ?? null,
    payloadFields: Object.fromEntries(fields.map(([name, type]) => [name.slice(0, FIELD_CHARS), type])),
    user: hashedUser(userId, salt),
    sessionId: sessionId ?? null,
    traceId,
  };
}
