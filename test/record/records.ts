import type { DecisionRecord } from '../../src/record/decision-record.js';
import type { RecordQuery } from '../../src/record/record-store.js';
import type { ShadowVerdict } from '../../src/record/shadow-verdict.js';
import type { AgentMinute } from '../../src/record/trend-store.js';
import { decision } from '../support/stand-in-reach.js';

/** Asks for every record there may be, up to a million. */
export const EVERY_RECORD: RecordQuery = {
  fromMs: 0,
  untilMs: 1e14,
  agentName: undefined,
  after: undefined,
  newestFirst: false,
  limit: 1_000_000,
};

/** A record of the first of January 2026 and so many ms. */
export function record(index: number, changes: Partial<DecisionRecord> = {}): DecisionRecord {
  const { targetAddress: _, missingFields: __, reason: ___, model: ____, candidates, ...kept } = decision;
  return {
    ...kept,
    routeId: `rt_${String(index).padStart(6, '0')}`,
    atMs: Date.UTC(2026, 0, 1) + index,
    intent: `周报 ${index}\0`,
    payloadFields: { rows: 'array' },
    user: null,
    candidates: candidates.map(({ agentName, capabilityId, confidence, score, excludedBy }) => ({
      agentName,
      capabilityId,
      confidence,
      score,
      ...(excludedBy !== undefined && { excludedBy }),
    })),
    reported: null,
    shadow: null,
    ...changes,
  };
}

/** What weights in the shadow make of a decision of `record`: by default the same. */
export function shadowOf(
  { outcome, targetAgent, capabilityId, confidence }: DecisionRecord,
  changes: Partial<ShadowVerdict> = {},
): ShadowVerdict {
  return { weightsVersion: 'shadow', outcome, targetAgent, capabilityId, confidence, ...changes };
}

/** What was seen of an agent in one minute, in a single sample. */
export function minute(
  agentName: string,
  atMs: number,
  reachability: number,
  changes: Partial<AgentMinute> = {},
): AgentMinute {
  const seen = { reachabilitySum: reachability, reachabilityMin: reachability, eligible: 1, registered: 1 };
  return { agentName, atMs, samples: 1, ...seen, routed: 0, failed: 0, ...changes };
}
