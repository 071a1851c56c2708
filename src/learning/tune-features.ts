import { FEATURE_NAMES, type FeatureName } from '../routing/features.js';
import { signalWeightsOf, type Weights } from '../routing/weights.js';
import { fitRelevance } from './fit-relevance.js';
import type { LearningSample } from './learning-sample.js';
import { englishGain, teachingSample } from './teaching-sample.js';
import { unrelatedIn } from './unrelated.js';

/** How far the weight of a feature is held back: as if so many labels said that it is right as it is. */
const PULL = 30;

/** What the features count in calls of one kind. */
function tunedForKind(ofKind: readonly LearningSample[], before: Weights, withPayload: boolean) {
  const teaching = ofKind.filter(({ inScope }) => inScope).map((sample) => teachingSample(sample, 1, before));
  const known = signalWeightsOf(before, withPayload);
  const start = FEATURE_NAMES.map((name) => known[name] ?? 0);
  const ridge = PULL / Math.max(1, teaching.length);
  const fitted = fitRelevance(teaching, { ridges: start.map(() => ridge), start });
  const after = Object.fromEntries(FEATURE_NAMES.map((name, place) => [name, fitted[place] ?? 0]));
  const gainUnder = (weights: Readonly<Record<string, number>>) =>
    englishGain(teaching, (name: FeatureName) => weights[name] ?? 0);
  // It moves as far as what it stands for.
  after.not_english = (known.not_english ?? 0) + gainUnder(after) - gainUnder(known);
  return after;
}

/** `before` with features that fit the samples better, held back to those before, and what is unrelated moved along. */
export function withTunedFeatures(before: Weights, samples: readonly LearningSample[]): Weights {
  const ofKind = (withPayload: boolean) => samples.filter((sample) => sample.withPayload === withPayload);
  const [without, withPayload] = [
    tunedForKind(ofKind(false), before, false),
    tunedForKind(ofKind(true), before, true),
  ];
  const features = FEATURE_NAMES.map((name) => ({
    name,
    weight: without[name] ?? 0,
    weight_with_payload: withPayload[name] ?? 0,
  }));
  const moved = { ...before, features };
  const { params } = before.calibration;
  const move = (kind: boolean) => unrelatedIn(ofKind(kind), moved) - unrelatedIn(ofKind(kind), before);
  const unrelated = {
    without_payload: params.unrelated.without_payload + move(false),
    with_payload: params.unrelated.with_payload + move(true),
  };
  return { ...moved, calibration: { ...before.calibration, params: { ...params, unrelated } } };
}
