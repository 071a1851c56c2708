import { fieldTypesOf } from '../live/payload-types.js';
import type { DecisionRecord } from '../record/decision-record.js';
import type { DecisionMade } from '../routing/decision-observer.js';
import type { RouteRequest } from '../wire/route.js';
import type { Ticket } from '../wire/tickets.js';
import { langOf, type SaidLabel } from './label.js';

/** What was asked, as records and tickets keep it. */
type KeptAsked = Pick<DecisionRecord, 'intent' | 'payloadFields'>;
type Asked = Pick<SaidLabel, 'intent' | 'lang' | 'payloadFields'>;

/** Undefined where nobody looked for anything: a target was named. */
export function askedIn({ intent, payloadFields }: KeptAsked): Asked | undefined {
  if (intent === null) return undefined;
  const wasSent = Object.keys(payloadFields).length > 0;
  return { intent, lang: langOf(intent), payloadFields: wasSent ? payloadFields : null };
}

/** Whether the whole catalogue was open to an intent: what is right of a part of it need not be right of all. */
function wasOpen({ filter, agentName, capabilityId }: RouteRequest): boolean {
  return filter === undefined && agentName === undefined && capabilityId === undefined;
}

/**
 * What the answer to a clarify says of the intent that was asked about: the choice is right; and so is the target to
 * whom somebody sends what its payload lacked. An intent that leans on a conversation says nothing without it.
 */
export function saidByAnswer({ atMs, decision, answered }: DecisionMade): SaidLabel | undefined {
  if (answered === undefined) return undefined;
  const { routeId, request, target, resumed } = answered.question;
  const { intent, payload } = request;
  const isSettled = target === undefined || decision.outcome !== 'clarify';
  if (intent === undefined || !isSettled || resumed || !wasOpen(request)) return undefined;
  const payloadFields = payload === undefined || payload === null ? null : fieldTypesOf(payload);
  const expected = [answered.capability];
  return { source: 'clarify', atMs, routeId, intent, lang: langOf(intent), payloadFields, expected };
}

/** What the report of an outcome says that names the right capability. */
export function saidByOutcome(
  record: DecisionRecord,
  rightCapability: string,
  atMs: number,
): SaidLabel | undefined {
  const asked = askedIn(record);
  return asked && { source: 'outcome', atMs, routeId: record.routeId, ...asked, expected: [rightCapability] };
}

/** What a resolved ticket says of its last request, which is the one that people saw decided. */
export function saidByTicket({ requests, resolution }: Ticket): SaidLabel | undefined {
  const request = requests.at(-1);
  const asked = request && askedIn(request);
  if (asked === undefined || !resolution?.rightCapability) return undefined;
  const { at, rightCapability } = resolution;
  const expected = [rightCapability];
  return { source: 'ticket', atMs: Date.parse(at), routeId: request?.routeId ?? null, ...asked, expected };
}
