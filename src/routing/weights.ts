import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import { CONFIDENCE_INPUTS } from './confidence-inputs.js';
import { FEATURE_NAMES, type FeatureName, type Features } from './features.js';

/** Of a folder among the shipped models, not a path. */
const MODEL_NAME = '^[\\w-][\\w.-]*$';
const SHA256 = '^[0-9a-f]{64}$';
/** In one line, and not only spaces: people read it, in terminals too. */
const VERSION = '^\\P{C}*[^\\p{C}\\s]\\P{C}*$';
const UTC_TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$';
const TRAINED_ON_CHARS = 10_000;

/** Nothing that was learned is larger; sums of numbers without bounds may be none. */
const Coefficient = Type.Number({ minimum: -1e6, maximum: 1e6 });

/** A logistic model: what it looks at, by name, each with its slope. */
const Logistic = Type.Object({
  bias: Coefficient,
  slopes: Type.Partial(
    Type.Object(Object.fromEntries(CONFIDENCE_INPUTS.map((name) => [name, Coefficient]))),
    { additionalProperties: false },
  ),
});

/** The mean of what a model makes of ordinary texts, by the script that they are written in. */
const Background = Type.Object({ han: Type.Array(Coefficient), other: Type.Array(Coefficient) });

/** What weights were tuned on: labels of one catalogue, with the digest of each of its capabilities (`agent_name/id`). */
const Tuned = Type.Object({
  at: Type.String({ pattern: UTC_TIME, description: 'a time as ISO 8601 has it, in UTC' }),
  labels: Type.Integer({ minimum: 0 }),
  /** What was asked for at the threshold. */
  precision: Type.Number({ minimum: 0, maximum: 1 }),
  capabilities: Type.Record(Type.String(), Type.String({ pattern: SHA256 })),
});

/** `models/<name>/weights.json`: how signals become relevance and relevance becomes confidence, for one model. */
export const WeightsSchema = Type.Object(
  {
    format: Type.Literal(1),
    version: Type.String({
      maxLength: LIMITS.idChars,
      pattern: VERSION,
      description: 'a name in one line, without control characters',
    }),
    /** SHA-256 of the `reach.json` of the model whose cosines these weights know. */
    model_sha256: Type.String({ pattern: SHA256 }),
    /** The model for English texts whose cosines they know beside; null: none. */
    english_model: Type.Union([
      Type.Object({ name: Type.String({ pattern: MODEL_NAME }), sha256: Type.String({ pattern: SHA256 }) }),
      Type.Null(),
    ]),
    /** What is common to all texts and tells nothing; half of it is taken off before vectors are compared. */
    background: Type.Object({ main: Background, english: Background }),
    features: Type.Array(
      Type.Object({
        name: Type.Enum([...FEATURE_NAMES]),
        /** Where no payload was sent. */
        weight: Coefficient,
        weight_with_payload: Coefficient,
      }),
      { maxItems: FEATURE_NAMES.length },
    ),
    calibration: Type.Object({
      kind: Type.Literal('logistic'),
      params: Type.Object({
        without_payload: Logistic,
        with_payload: Logistic,
        /** The relevance of what has nothing to do with an intent. */
        unrelated: Type.Object({ without_payload: Coefficient, with_payload: Coefficient }),
      }),
    }),
    thresholds: Type.Object({
      global: Type.Number({ minimum: 0, maximum: 1 }),
      by_capability: Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), {
        maxProperties: LIMITS.capabilityThresholds,
      }),
    }),
    top_k: Type.Integer({ minimum: 1, maximum: 64 }),
    trained_on: Type.String({ maxLength: TRAINED_ON_CHARS }),
    tuned: Type.Optional(Tuned),
  },
  { description: 'As `agent-reach tune --out` writes them.' },
);
export type Weights = Static<typeof WeightsSchema>;
/** What confidence is made of in calls of one kind. */
export type Calibration = Weights['calibration']['params']['without_payload'];

/** What each signal counts in the relevance, by name. */
export function signalWeightsOf({ features }: Weights, withPayload: boolean): Record<string, number> {
  return Object.fromEntries(
    features.map(({ name, weight, weight_with_payload }) => [
      name,
      withPayload ? weight_with_payload : weight,
    ]),
  );
}

/** Relevance: the weighted sum of the signals. A raw number, comparable only under one set of weights. */
export function relevanceUnder(weights: Weights, withPayload: boolean): (features: Features) => number {
  const byName: Partial<Record<FeatureName, number>> = signalWeightsOf(weights, withPayload);
  const inOrder = FEATURE_NAMES.map((name) => byName[name] ?? 0);
  return (values) => inOrder.reduce((sum, weight, place) => sum + weight * (values[place] ?? 0), 0);
}

/** What uncalibrated weights were learned from. */
const NOTHING = 'nothing';

/** Whether somebody has measured what the confidence under these weights means. */
export function isCalibrated({ trained_on }: Weights): boolean {
  return trained_on !== NOTHING;
}

/** For a model that comes without weights: sensible, but nobody has measured what its confidence means. */
export function uncalibratedWeights(modelHash: string): Weights {
  const feature = (name: FeatureName, weight: number, withPayload = weight) => ({
    name,
    weight,
    weight_with_payload: withPayload,
  });
  const nothing = { han: [], other: [] };
  const logistic = { bias: -2, slopes: { softmax_logit: 0.8, standout: 0.5 } };
  return {
    format: 1,
    version: 'uncalibrated',
    model_sha256: modelHash,
    english_model: null,
    background: { main: nothing, english: nothing },
    features: [
      feature('views_centroid', 40),
      feature('lexical', 3),
      feature('lexical_fields', 10),
      feature('fields_evidence', 0, 2),
      feature('required_present', 0, 1.5),
      feature('all_fit', 0, 2.5),
    ],
    calibration: {
      kind: 'logistic',
      params: {
        without_payload: logistic,
        with_payload: logistic,
        unrelated: { without_payload: 25, with_payload: 25 },
      },
    },
    thresholds: { global: 0.75, by_capability: {} },
    top_k: 5,
    trained_on: NOTHING,
  };
}
