import type { ConfidenceInput } from '../routing/confidence-inputs.js';
import { FEATURE_NAMES, type FeatureName } from '../routing/features.js';
import type { Weights } from '../routing/weights.js';
import { fitLogistic, fromNothing } from './fit-logistic.js';
import { fitRelevance, type RankedSample } from './fit-relevance.js';
import type { LearningSample } from './learning-sample.js';
import { inputsUnder, rankedUnder } from './ranked-candidates.js';
import { englishGain, teachingSample } from './teaching-sample.js';
import { unrelatedIn } from './unrelated.js';

/** Samples of one catalogue and one way of asking it. */
export interface LearningSet {
  /** What one family knows is not new to it: sets made from the same sentences belong to one. */
  readonly family: string;
  /** How much it counts among the sets of its family. */
  readonly weight: number;
  readonly samples: readonly LearningSample[];
}

/** What learning changes in weights. */
export type Learned = Pick<Weights, 'features' | 'calibration'>;

/** How far weights are held back: those of the text more than those of the payload. */
const RIDGE = { text: 0.03, payload: 0.003 } as const;
const CALIBRATION_RIDGE = 0.003;
const PAYLOAD_FEATURES: ReadonlySet<FeatureName> = new Set<FeatureName>([
  'fields_evidence',
  'required_present',
  'all_fit',
]);
/** What confidence is made of with each kind of call: what kept it true for families that it was not learned from. */
const INPUTS: Readonly<Record<'without_payload' | 'with_payload', readonly ConfidenceInput[]>> = {
  without_payload: ['softmax_logit', 'meaning', 'english_similarity', 'standout', 'beside_standout'],
  with_payload: [
    'softmax_logit',
    'meaning',
    'beside_standout',
    'lexical',
    'fields_evidence',
    'rivals_fitting',
    'other_language',
  ],
};

interface Weighed {
  readonly family: string;
  readonly sample: LearningSample;
  readonly weight: number;
}

/** Every family counts the same; in it a set as its weight says, however many samples it has. */
function weighed(sets: readonly LearningSet[], withPayload: boolean): Weighed[] {
  const kept = sets
    .map((set) => ({ ...set, samples: set.samples.filter((sample) => sample.withPayload === withPayload) }))
    .filter(({ samples }) => samples.length > 0);
  const total = new Map<string, number>();
  for (const { family, weight } of kept) total.set(family, (total.get(family) ?? 0) + weight);
  return kept.flatMap(({ family, weight, samples }) =>
    samples.map((sample) => ({ family, sample, weight: weight / samples.length / (total.get(family) ?? 1) })),
  );
}

/** `start`: to which the weights are held back. */
function fitNamed(samples: readonly RankedSample[], ridges: readonly number[], start: readonly number[]) {
  const fitted = fitRelevance(samples, { ridges, start });
  const weightOf = (name: FeatureName) => fitted[FEATURE_NAMES.indexOf(name)] ?? 0;
  fitted[FEATURE_NAMES.indexOf('not_english')] = englishGain(samples, weightOf);
  return fitted;
}

function fitFeatures(sets: readonly LearningSet[], start: Weights): Weights['features'] {
  const teaching = (withPayload: boolean) =>
    weighed(sets, withPayload)
      .filter(({ sample }) => sample.inScope)
      .map(({ sample, weight }) => teachingSample(sample, weight, start));
  const without = fitNamed(
    teaching(false),
    FEATURE_NAMES.map(() => RIDGE.text),
    FEATURE_NAMES.map(() => 0),
  );
  const withPayload = fitNamed(
    teaching(true),
    FEATURE_NAMES.map((name) => (PAYLOAD_FEATURES.has(name) ? RIDGE.payload : RIDGE.text)),
    [...without],
  );
  return FEATURE_NAMES.map((name, place) => ({
    name,
    weight: without[place] ?? 0,
    weight_with_payload: withPayload[place] ?? 0,
  }));
}

const samplesOf = (sets: readonly LearningSet[], withPayload: boolean) =>
  sets.flatMap(({ samples }) => samples).filter((sample) => sample.withPayload === withPayload);

/** What confidence means. `weightsFor`: those under which the samples of a family are ranked. */
function fitCalibration(
  sets: readonly LearningSet[],
  withPayload: boolean,
  weightsFor: (family: string) => Weights,
) {
  const names = INPUTS[withPayload ? 'with_payload' : 'without_payload'];
  const observations = weighed(sets, withPayload).map(({ family, sample, weight }) => {
    const weights = weightsFor(family);
    const order = rankedUnder(weights, sample);
    const inputs = inputsUnder(weights, sample, order);
    return { inputs: names.map((name) => inputs[name]), right: order[0]?.isRight ?? false, weight };
  });
  const { bias, slopes } = fitLogistic(observations, fromNothing(names.length, CALIBRATION_RIDGE));
  return { bias, slopes: Object.fromEntries(names.map((name, i) => [name, slopes[i] ?? 0])) };
}

/** The start with features that were fitted to the sets, and what is unrelated under them. */
function withFeatures(start: Weights, sets: readonly LearningSet[]): Weights {
  const features = fitFeatures(sets, start);
  const weights = { ...start, features };
  const { params } = start.calibration;
  const unrelated = {
    without_payload: unrelatedIn(samplesOf(sets, false), weights),
    with_payload: unrelatedIn(samplesOf(sets, true), weights),
  };
  return { ...weights, calibration: { ...start.calibration, params: { ...params, unrelated } } };
}

/**
 * Weights learned from labelled samples. What confidence means is learned from rankings that were made without the
 * family that they are of: a family is ranked better by weights that know it than one that comes new. From one
 * family alone nothing else can be had than rankings that know it: its confidence is too high for what is new.
 */
export function learnWeights(sets: readonly LearningSet[], start: Weights): Learned {
  const all = withFeatures(start, sets);
  const without = new Map<string, Weights>();
  for (const family of new Set(sets.map((set) => set.family))) {
    const others = sets.filter((set) => set.family !== family);
    without.set(family, others.length === 0 ? all : withFeatures(start, others));
  }
  const weightsFor = (family: string) => without.get(family) ?? all;
  const params = {
    without_payload: fitCalibration(sets, false, weightsFor),
    with_payload: fitCalibration(sets, true, weightsFor),
    unrelated: all.calibration.params.unrelated,
  };
  return { features: all.features, calibration: { kind: 'logistic', params } };
}
