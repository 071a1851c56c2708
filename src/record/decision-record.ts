import { createHmac } from 'node:crypto';
import { kindOfValue } from '../manifest/json-types.js';
import { LIMITS } from '../wire/limits.js';
import type { RecordedDecision } from '../wire/records.js';
import type { Decision, RouteRequest } from '../wire/route.js';

/** A decision as rows keep it. */
export interface DecisionRecord extends Omit<RecordedDecision, 'at'> {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
}

type Payload = RouteRequest['payload'];

const MOST_FIELDS = 100;

function typeOf(value: unknown): string {
  const kind = kindOfValue(value);
  return kind === 'integer' || kind === 'fraction' ? 'number' : kind;
}

/** Names and types of what was sent. Values may be anybody's secrets; so may what only looks like a name and is long. */
function fieldsOf(payload: Payload): Record<string, string> {
  const fields = Object.entries(payload ?? {}).filter(([name]) => name.length <= LIMITS.idChars);
  return Object.fromEntries(fields.slice(0, MOST_FIELDS).map(([name, value]) => [name, typeOf(value)]));
}

/** What of a decision is kept. `salt` makes the hash of a user another one in each store. */
export function recordOf(
  { atMs, request, decision }: { atMs: number; request: RouteRequest; decision: Decision },
  salt: string,
): DecisionRecord {
  const { intent = null, payload, userId } = request;
  return {
    routeId: decision.routeId,
    atMs,
    intent,
    payloadFields: fieldsOf(payload),
    user: userId === undefined ? null : createHmac('sha256', salt).update(userId).digest('hex'),
    outcome: decision.outcome,
    targetAgent: decision.targetAgent,
    capabilityId: decision.capabilityId,
    instanceId: decision.instanceId,
    addrVersion: decision.addrVersion,
    confidence: decision.confidence,
    threshold: decision.threshold,
    score: decision.score,
    candidates: decision.candidates.map(({ agentName, capabilityId, confidence, score, excludedBy }) => ({
      agentName,
      capabilityId,
      confidence,
      score,
      ...(excludedBy !== undefined && { excludedBy }),
    })),
    timingMs: decision.timingMs,
    catalogueVersion: decision.catalogueVersion,
    weightsVersion: decision.weightsVersion,
    reported: null,
  };
}

/** As callers see it. */
export function recordedDecision({ atMs, ...record }: DecisionRecord): RecordedDecision {
  return { ...record, at: new Date(atMs).toISOString() };
}
