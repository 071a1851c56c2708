import { fieldTypesOf } from '../live/payload-types.js';
import type { DecisionMade } from '../routing/decision-observer.js';
import type { RecordedDecision } from '../wire/records.js';
import type { Candidate } from '../wire/route.js';
import { hashedUser } from './hashed-user.js';

/** A decision as rows keep it. */
export interface DecisionRecord extends Omit<RecordedDecision, 'at'> {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
}

function briefOf({ agentName, capabilityId, confidence, score, excludedBy }: Candidate) {
  return excludedBy === undefined
    ? { agentName, capabilityId, confidence, score }
    : { agentName, capabilityId, confidence, score, excludedBy };
}

/** What of a decision is kept. `salt` makes the hash of a user another one in each store. */
export function recordOf({ atMs, request, decision }: DecisionMade, salt: string): DecisionRecord {
  const { intent = null, payload, userId } = request;
  return {
    routeId: decision.routeId,
    atMs,
    intent,
    payloadFields: fieldTypesOf(payload),
    user: hashedUser(userId, salt),
    outcome: decision.outcome,
    targetAgent: decision.targetAgent,
    capabilityId: decision.capabilityId,
    instanceId: decision.instanceId,
    addrVersion: decision.addrVersion,
    confidence: decision.confidence,
    threshold: decision.threshold,
    score: decision.score,
    candidates: decision.candidates.map(briefOf),
    timingMs: decision.timingMs,
    catalogueVersion: decision.catalogueVersion,
    weightsVersion: decision.weightsVersion,
    reported: null,
    shadow: null,
  };
}

/** As callers see it. */
export function recordedDecision({ atMs, ...record }: DecisionRecord): RecordedDecision {
  return { ...record, at: new Date(atMs).toISOString() };
}
