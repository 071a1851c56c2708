import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { DecideInput } from './verdict.js';

/** The threshold that counts for a capability: request > capability > weights for it > global. 0 is a value. */
export function thresholdFor({ capability, key }: IndexedCapability, input: DecideInput): number {
  const { thresholds } = input.weights;
  return (
    input.threshold.request ??
    capability.threshold ??
    thresholds.by_capability[key] ??
    input.threshold.global ??
    thresholds.global
  );
}
