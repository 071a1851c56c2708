import { thresholdFor } from './thresholds.js';
import { rankMembers } from './utility.js';
import type { DecideInput, Verdict } from './verdict.js';

const NOBODY: readonly string[] = [];

/**
 * Who may take the work where the target of a decision fails, the most useful first: the keys of the other members of
 * its group that are sure and, where a payload was sent, have all they need.
 */
export function standInsOf(verdict: Verdict, input: DecideInput): readonly string[] {
  const [best] = input.groups;
  if (verdict.outcome !== 'routed' || best === undefined || best.members.length === 1) return NOBODY;
  return rankMembers(best.members, input.utility)
    .map(({ candidate: { indexed } }) => indexed)
    .filter(
      (indexed) =>
        !(
          indexed.agent.manifest.agentName === verdict.targetAgent &&
          indexed.capability.id === verdict.capabilityId
        ) &&
        best.confidence >= thresholdFor(indexed, input).value &&
        (!input.payloadSent || input.missingOf(indexed).length === 0),
    )
    .map(({ key }) => key);
}
