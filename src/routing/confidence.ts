import { CONFIDENCE_INPUTS, type ConfidenceInputs } from './confidence-inputs.js';
import { type Features, featureOf, noFeatures } from './features.js';
import { type Calibration, relevanceUnder, type Weights } from './weights.js';

/** So many groups are compared; where there are fewer, what has nothing to do with the intent stands in for the rest. */
export const COMPARED = 16;
/** Beyond this, less says no more. */
const LEAST_SHARE = 1e-4;
/** Cosines that are closer together than this do not stand out of each other. */
const LEAST_DEVIATION = 1e-3;

/** What confidence looks at besides the candidates. */
export interface Asked {
  readonly withPayload: boolean;
  /** The share of the candidates that are described in another language than the intent's, 0..1. */
  readonly otherLanguage: number;
}

/**
 * The shares of the best `COMPARED` groups in a softmax over their relevances, the best first; what stands in for
 * missing ones has its share too. `relevances`: of all groups, the best first.
 */
export function sharesOf(relevances: readonly number[], withPayload: boolean, weights: Weights): number[] {
  const { unrelated } = weights.calibration.params;
  const stranger = withPayload ? unrelated.with_payload : unrelated.without_payload;
  const compared = relevances.slice(0, COMPARED);
  const least = Math.min(stranger, ...compared);
  while (compared.length < COMPARED) compared.push(least);
  return softmax(compared);
}

/** Of numbers that are log-odds against each other, the probability of each. */
export function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** The cosine of the main model, whichever of its names it has. */
function similarityIn(features: Features): number {
  return featureOf(features, 'views_centroid') + featureOf(features, 'beside_centroid');
}

/** How far the best lies above the mean of all, in standard deviations. */
function standoutOf(best: number, all: readonly number[]): number {
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const variance = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length;
  return (best - mean) / (Math.sqrt(variance) + LEAST_DEVIATION);
}

/** `groups`: the features of each group's leader, the most relevant first. Beside them the groups' shares. */
export function confidenceInputs(
  groups: readonly Features[],
  [share = 0]: readonly number[],
  { otherLanguage }: Asked,
  weights: Weights,
): ConfidenceInputs {
  const best = groups[0] ?? noFeatures();
  const clipped = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
  const standout = groups.length === 0 ? 0 : standoutOf(similarityIn(best), groups.map(similarityIn));
  const isBeside = featureOf(best, 'beside_centroid') !== 0;
  const fitting = groups.filter((features) => featureOf(features, 'all_fit') === 1).length;
  return {
    softmax_logit: logOddsOf(clipped),
    meaning: relevanceUnder(weights, false)(best),
    english_similarity: featureOf(best, 'english_centroid'),
    standout: isBeside ? 0 : standout,
    beside_standout: isBeside ? standout : 0,
    lexical: featureOf(best, 'lexical'),
    fields_evidence: featureOf(best, 'fields_evidence'),
    rivals_fitting: Math.log1p(fitting),
    other_language: otherLanguage,
  };
}

/** The calibrated probability that the best group is the right one. */
export function confidenceOf(
  inputs: ConfidenceInputs,
  withPayload: boolean,
  { calibration: { params } }: Weights,
): number {
  const calibration = withPayload ? params.with_payload : params.without_payload;
  return chanceOf(logitOf(calibration, inputs));
}

/** The log-odds of the best group being the right one. */
export function logitOf({ bias, slopes }: Calibration, inputs: ConfidenceInputs): number {
  return CONFIDENCE_INPUTS.reduce((sum, name) => sum + (slopes[name] ?? 0) * inputs[name], bias);
}

/** The log-odds of a probability, over 0 and under 1. */
export const logOddsOf = (chance: number): number => Math.log(chance / (1 - chance));

/** The probability that log-odds stand for. */
export const chanceOf = (logit: number): number => 1 / (1 + Math.exp(-logit));

/**
 * The probability of each group: that of the best is given, and the others are to it as their shares are, but
 * never get more together than it leaves.
 */
export function spread(confidence: number, shares: readonly number[], groups: number): number[] {
  const [first = 1] = shares;
  const factor = Math.min(confidence / first, (1 - confidence) / Math.max(1 - first, LEAST_SHARE));
  return Array.from({ length: groups }, (_, i) => (i === 0 ? confidence : factor * (shares[i] ?? 0)));
}
