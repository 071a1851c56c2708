import { signalWeightsOf, type Weights } from '../routing/weights.js';
import type { WeightsChange } from './tune-report.js';

/** What differs between weights, by name. */
export function weightsChange(before: Weights, after: Weights): WeightsChange {
  const own = { before: before.thresholds.by_capability, after: after.thresholds.by_capability };
  const keys = [...new Set([...Object.keys(own.before), ...Object.keys(own.after)])];
  const moved = keys.filter((key) => own.before[key] !== own.after[key]);
  const steps = (withPayload: boolean, name: string) => ({
    before: signalWeightsOf(before, withPayload)[name] ?? 0,
    after: signalWeightsOf(after, withPayload)[name] ?? 0,
  });
  return {
    threshold: { before: before.thresholds.global, after: after.thresholds.global },
    top_k: { before: before.top_k, after: after.top_k },
    thresholds: Object.fromEntries(
      moved.map((key) => [key, { before: own.before[key] ?? null, after: own.after[key] ?? null }]),
    ),
    features: Object.fromEntries(
      after.features.map(({ name }) => [
        name,
        { without_payload: steps(false, name), with_payload: steps(true, name) },
      ]),
    ),
  };
}
