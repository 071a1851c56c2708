import { COMPARED, confidenceInputs, sharesOf } from '../routing/confidence.js';
import type { ConfidenceInput, ConfidenceInputs } from '../routing/confidence-inputs.js';
import { FEATURE_NAMES, type FeatureName, type Features, featureOf } from '../routing/features.js';
import { relevanceUnder, type Weights } from '../routing/weights.js';
import { fitLogistic } from './fit-logistic.js';
import { fitRelevance, type RankedSample } from './fit-relevance.js';
import type { LearningSample } from './learning-sample.js';

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

/** Of each intent the right candidates and so many others, the most relevant so far: the rest is told apart anyway. */
const RIVALS = 20;
/** How far weights are held back: those of the text more than those of the payload. */
const RIDGE = { text: 0.03, payload: 0.003 } as const;
const CALIBRATION_RIDGE = 0.003;
const PAYLOAD_FEATURES: ReadonlySet<FeatureName> = new Set<FeatureName>([
  'fields_evidence',
  'required_present',
  'all_fit',
]);
/** What lies behind the near neighbours of the best, from this rank on (from 0), has nothing to do with the intent. */
const REST_FROM = 5;

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

/** A candidate of a sample under weights. */
interface RankedCandidate {
  readonly features: Features;
  readonly isRight: boolean;
  readonly relevance: number;
}

/** The candidates of a sample, the most relevant first. */
function rankedUnder(
  weights: Weights,
  { candidates, right, withPayload }: LearningSample,
): RankedCandidate[] {
  const relevanceOf = relevanceUnder(weights, withPayload);
  return candidates
    .map((features, place) => ({
      features,
      isRight: right[place] ?? false,
      relevance: relevanceOf(features),
    }))
    .sort((a, b) => b.relevance - a.relevance);
}

/** A sample with its right candidates and the rivals that lie nearest to them under `weights`. */
function teachingSample({ sample, weight }: Weighed, weights: Weights): RankedSample {
  const order = rankedUnder(weights, sample)
    // A few among English tell nothing of the others: what they count is worked out from those.
    .filter(({ features }) => featureOf(features, 'not_english') === 0)
    .filter(({ isRight }, rank) => rank < RIVALS || isRight);
  return {
    candidates: order.map(({ features }) => features),
    right: order.map(({ isRight }) => isRight),
    weight,
  };
}

/**
 * What `not_english` counts: so much more, on the average, do candidates that the English model knows get for their
 * meaning than they would get for the main model's cosine alone.
 */
function notEnglishWeight(samples: readonly RankedSample[], weightOf: (name: FeatureName) => number): number {
  const gainOf = (features: Features) =>
    featureOf(features, 'beside_centroid') * (weightOf('beside_centroid') - weightOf('views_centroid')) +
    featureOf(features, 'english_centroid') * weightOf('english_centroid') +
    featureOf(features, 'english_views_centroid') * weightOf('english_views_centroid');
  let [sum, total] = [0, 0];
  for (const { candidates, weight } of samples) {
    for (const features of candidates) {
      if (featureOf(features, 'beside_centroid') === 0) continue;
      sum += (weight / candidates.length) * gainOf(features);
      total += weight / candidates.length;
    }
  }
  return total === 0 ? 0 : sum / total;
}

/** `start`: to which the weights are held back. */
function fitNamed(samples: readonly RankedSample[], ridges: readonly number[], start: readonly number[]) {
  const fitted = fitRelevance(samples, { ridges, start });
  const weightOf = (name: FeatureName) => fitted[FEATURE_NAMES.indexOf(name)] ?? 0;
  fitted[FEATURE_NAMES.indexOf('not_english')] = notEnglishWeight(samples, weightOf);
  return fitted;
}

function fitFeatures(sets: readonly LearningSet[], start: Weights): Weights['features'] {
  const teaching = (withPayload: boolean) =>
    weighed(sets, withPayload)
      .filter(({ sample }) => sample.inScope)
      .map((each) => teachingSample(each, start));
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

/** What confidence is made of where the candidates of a sample are ranked under weights, each a group of its own. */
function inputsUnder(
  weights: Weights,
  sample: LearningSample,
  order: readonly RankedCandidate[],
): ConfidenceInputs {
  const relevances = order.map(({ relevance }) => relevance);
  const shares = sharesOf(relevances, sample.withPayload, weights);
  const groups = order.map(({ features }) => features);
  return confidenceInputs(groups, shares, sample, weights);
}

/** The relevance of what has nothing to do with an intent: the mean of the candidates behind the first few, all counted alike. */
function unrelatedIn(sets: readonly LearningSet[], withPayload: boolean, weights: Weights): number {
  const relevances = sets
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.withPayload === withPayload)
    .flatMap((sample) => rankedUnder(weights, sample).slice(REST_FROM, COMPARED))
    .map(({ relevance }) => relevance);
  return relevances.reduce((sum, relevance) => sum + relevance, 0) / Math.max(1, relevances.length);
}

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
  const { bias, slopes } = fitLogistic(observations, CALIBRATION_RIDGE);
  return { bias, slopes: Object.fromEntries(names.map((name, i) => [name, slopes[i] ?? 0])) };
}

/** The start with features that were fitted to the sets, and what is unrelated under them. */
function withFeatures(start: Weights, sets: readonly LearningSet[]): Weights {
  const features = fitFeatures(sets, start);
  const weights = { ...start, features };
  const { params } = start.calibration;
  const unrelated = {
    without_payload: unrelatedIn(sets, false, weights),
    with_payload: unrelatedIn(sets, true, weights),
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
