import { type Static, Type } from 'typebox';
import { FEATURE_NAMES, type FeatureName, type Features } from './features.js';

const SHA256 = '^[0-9a-f]{64}$';

const Logistic = Type.Object({
  relevance: Type.Number(),
  margin: Type.Number(),
  bias: Type.Number(),
});

/** `models/<name>/weights.json`: how signals become relevance and relevance becomes confidence, for one model. */
export const WeightsSchema = Type.Object({
  format: Type.Literal(1),
  version: Type.String({ minLength: 1 }),
  /** SHA-256 of the `reach.json` of the model whose cosines these weights know. */
  model_sha256: Type.String({ pattern: SHA256 }),
  /** The model for English texts whose cosines they know beside; null: none. */
  english_model: Type.Union([
    Type.Object({ name: Type.String({ minLength: 1 }), sha256: Type.String({ pattern: SHA256 }) }),
    Type.Null(),
  ]),
  features: Type.Array(Type.Object({ name: Type.Enum([...FEATURE_NAMES]), weight: Type.Number() })),
  calibration: Type.Object({
    kind: Type.Literal('logistic'),
    params: Type.Object({
      with_payload: Logistic,
      without_payload: Logistic,
      /** The margin that counts where there is nothing to compare with: that of an ordinary right answer. */
      lone_margin: Type.Number({ minimum: 0 }),
    }),
  }),
  thresholds: Type.Object({
    global: Type.Number({ minimum: 0, maximum: 1 }),
    by_capability: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 })),
  }),
  top_k: Type.Integer({ minimum: 1, maximum: 64 }),
  trained_on: Type.String(),
});
export type Weights = Static<typeof WeightsSchema>;

/** Relevance: the weighted sum of the signals. A raw number, comparable only under one set of weights. */
export function relevanceUnder({ features }: Weights): (features: Features) => number {
  const weightOf = new Map<FeatureName, number>(features.map(({ name, weight }) => [name, weight]));
  const weights = FEATURE_NAMES.map((name) => weightOf.get(name) ?? 0);
  return (values) => weights.reduce((sum, weight, place) => sum + weight * (values[place] ?? 0), 0);
}

/** What each signal counts in the relevance, by name. */
export function signalWeightsOf({ features }: Weights): Record<string, number> {
  return Object.fromEntries(features.map(({ name, weight }) => [name, weight]));
}

/** How far a relevance lies before the best one that it is compared with; `other` is undefined where there is none. */
export function marginOf(relevance: number, other: number | undefined, weights: Weights): number {
  return other === undefined ? weights.calibration.params.lone_margin : relevance - other;
}

/**
 * The calibrated probability that a group is the right one: logistic in its relevance and in its margin, the
 * distance to the best relevance outside the group.
 */
export function confidenceOf(
  relevance: number,
  margin: number,
  withPayload: boolean,
  weights: Weights,
): number {
  const { with_payload, without_payload } = weights.calibration.params;
  const { relevance: slope, margin: marginSlope, bias } = withPayload ? with_payload : without_payload;
  return 1 / (1 + Math.exp(-(slope * relevance + marginSlope * margin + bias)));
}

/** For a model that comes without weights: sensible, but nobody has measured what its confidence means. */
export function uncalibratedWeights(modelHash: string): Weights {
  const logistic = { relevance: 10, margin: 30, bias: -9 };
  return {
    format: 1,
    version: 'uncalibrated',
    model_sha256: modelHash,
    english_model: null,
    features: [
      { name: 'description', weight: 0.15 },
      { name: 'name', weight: 0.15 },
      { name: 'best_example', weight: 0.3 },
      { name: 'centroid', weight: 0.4 },
      { name: 'lexical', weight: 0.1 },
      { name: 'keys_known', weight: 0.1 },
      { name: 'required_present', weight: 0.05 },
      { name: 'types_valid', weight: 0.05 },
    ],
    calibration: {
      kind: 'logistic',
      params: { with_payload: logistic, without_payload: logistic, lone_margin: 0.08 },
    },
    thresholds: { global: 0.75, by_capability: {} },
    top_k: 5,
    trained_on: 'nothing',
  };
}
