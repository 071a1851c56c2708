import type { CapabilityNames } from '../evaluation/capability-names.js';
import { type JudgedReach, requestOf } from '../evaluation/judge.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { capabilityKey } from '../wire/capability-key.js';
import { LIMITS } from '../wire/limits.js';
import { type LearningSample, learningSampleOf } from './learning-sample.js';

/** A label as routing saw it. */
export interface SeenLabel {
  readonly label: LabelledQuery;
  readonly sample: LearningSample;
  /** `agent_name/id` of each candidate of the sample. */
  readonly keys: readonly string[];
  /** Whether the answer reached the threshold that counts for it. */
  readonly sure: boolean;
}

/** As a caller would, for all that a search finds. */
export const ASKING = { payload: true, threshold: undefined, topK: LIMITS.topK } as const;

/**
 * Asks for each label and keeps what can be learned from it: not from one that is word for word an example that a
 * capability declares, since nothing was weighed for it. @throws ReachError as `Reach.route`
 */
export async function seenLabels(
  labels: readonly LabelledQuery[],
  reach: Pick<JudgedReach, 'route'>,
  names: CapabilityNames,
  onSeen: () => void,
): Promise<SeenLabel[]> {
  const seen: SeenLabel[] = [];
  for (const label of labels) {
    const decision = await reach.route({ ...requestOf(label, ASKING), explain: true });
    const withPayload = Object.keys(label.payload ?? {}).length > 0;
    const sample = learningSampleOf(label, decision, { withPayload, names });
    const keys = decision.candidates.map(({ agentName, capabilityId }) =>
      capabilityKey(agentName, capabilityId),
    );
    const sure = decision.confidence >= decision.threshold;
    if (sample !== undefined) seen.push({ label, sample, keys, sure });
    onSeen();
  }
  return seen;
}
