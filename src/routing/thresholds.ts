import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { DecideInput } from './verdict.js';

/** The least confidence that counts. */
export interface Threshold {
  readonly value: number;
  /** The rule that sets it; undefined where something else does. */
  readonly ruleId: string | undefined;
}

/** The threshold for a capability: request > capability > weights for it > rule > global. 0 is a value. */
export function thresholdFor(indexed: IndexedCapability, input: DecideInput): Threshold {
  const { capability, key } = indexed;
  const named =
    input.threshold.request ?? capability.threshold ?? input.weights.thresholds.by_capability[key];
  if (named !== undefined) return { value: named, ruleId: undefined };
  const rule = input.rules.settingFor(indexed)?.rule;
  if (rule?.threshold !== undefined) return { value: rule.threshold, ruleId: rule.id };
  return globalThreshold(input);
}

/** The threshold where there is no capability to speak of, or nothing is said of it. */
export function globalThreshold({ threshold, weights }: DecideInput): Threshold {
  return { value: threshold.global ?? weights.thresholds.global, ruleId: undefined };
}
