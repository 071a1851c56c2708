import { CONFIDENCE_INPUTS, type ConfidenceInputs } from './confidence-inputs.js';
import { type FeatureName, type Features, featureOf, noFeatures } from './features.js';
import { relevanceUnder, type Weights } from './weights.js';

/** So many groups are compared; where there are fewer, what has nothing to do with the intent stands in for the rest. */
export const COMPARED = 16;
/** Where the best is right, it is ahead not only of its near neighbours: its lead is over the ranks from this on (from 0). */
export const REST_FROM = 5;
/** Over whom its margin is (from 0): the last of its near neighbours. */
const MARGIN_RANK = REST_FROM - 1;
/** Beyond these, more says no more. */
const LEAST_SHARE = 1e-4;
const MOST_MARGIN = 10;
const MOST_LEAD = 14;

/** Looked at one by one, each of these names a best of its own; they agree as far as it is the same. */
const VOTERS: readonly (readonly FeatureName[])[] = [
  ['centroid', 'beside_centroid'],
  ['full', 'full_terse', 'beside_full'],
  ['english_centroid'],
  ['lexical'],
  ['lexical_fields', 'lexical_fields_terse'],
];

/** What confidence looks at besides the candidates. */
export interface Asked {
  readonly withPayload: boolean;
  /** The share of the intent's words that no capability has, 0..1. */
  readonly unknownWords: number;
  /** In the catalogue. */
  readonly capabilities: number;
}

/** Relevances of the best `COMPARED` groups, the best first, and the share of each in a softmax over them. */
export interface Ranking {
  readonly relevances: readonly number[];
  readonly shares: readonly number[];
}

/** `relevances`: of all groups, the best first. */
export function rankingOf(relevances: readonly number[], withPayload: boolean, weights: Weights): Ranking {
  const { unrelated } = weights.calibration.params;
  const stranger = withPayload ? unrelated.with_payload : unrelated.without_payload;
  const compared = relevances.slice(0, COMPARED);
  const least = Math.min(stranger, ...compared);
  while (compared.length < COMPARED) compared.push(least);
  return { relevances: compared, shares: softmax(compared) };
}

/** Of numbers that are log-odds against each other, the probability of each. */
export function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

function leadOf(relevances: readonly number[]): number {
  const [best = 0] = relevances;
  const rest = relevances.slice(REST_FROM);
  const mean = rest.reduce((sum, relevance) => sum + relevance, 0) / Math.max(1, rest.length);
  return Math.min(MOST_LEAD, best - mean);
}

/** The lead that the best would have if no payload had been sent. */
function meaningLeadOf(groups: readonly Features[], weights: Weights): number {
  const [best = 0, ...others] = groups.map(relevanceUnder(weights, false));
  return leadOf(rankingOf([best, ...others.sort((a, b) => b - a)], false, weights).relevances);
}

/** The share of the voters, of those that have something to say, for whom the best is the best too. */
function agreementOn(best: Features, all: readonly Features[]): number {
  let asked = 0;
  let agreeing = 0;
  for (const names of VOTERS) {
    const value = (features: Features) => names.reduce((sum, name) => sum + featureOf(features, name), 0);
    const highest = Math.max(...all.map(value));
    if (highest <= 0) continue;
    asked += 1;
    if (value(best) >= highest) agreeing += 1;
  }
  return asked === 0 ? 0 : agreeing / asked;
}

/** `groups`: the features of each group's leader, the most relevant first; at least one. */
export function confidenceInputs(
  groups: readonly Features[],
  { relevances, shares }: Ranking,
  { withPayload, unknownWords, capabilities }: Asked,
  weights: Weights,
): ConfidenceInputs {
  const best = groups[0] ?? noFeatures();
  const [share = 0] = shares;
  const [relevance = 0] = relevances;
  const clipped = Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
  const lead = leadOf(relevances);
  const beside = featureOf(best, 'beside_centroid');
  const allFit = featureOf(best, 'all_fit');
  return {
    softmax_logit: Math.log(clipped / (1 - clipped)),
    relevance,
    margin: Math.min(MOST_MARGIN, relevance - (relevances[MARGIN_RANK] ?? relevance)),
    lead,
    meaning_lead: withPayload ? meaningLeadOf(groups, weights) : lead,
    similarity: featureOf(best, 'centroid'),
    beside_similarity: beside,
    english_similarity: featureOf(best, 'english_centroid'),
    beside_english: beside === 0 ? 0 : 1,
    lexical: featureOf(best, 'lexical'),
    all_fit: allFit,
    fit_evidence: allFit * featureOf(best, 'fields_evidence'),
    unknown_words: unknownWords,
    log_capabilities: Math.log(Math.max(1, capabilities)),
    agreement: agreementOn(best, groups),
  };
}

/** The calibrated probability that the best group is the right one. */
export function confidenceOf(
  inputs: ConfidenceInputs,
  withPayload: boolean,
  { calibration }: Weights,
): number {
  const { bias, slopes } = withPayload ? calibration.params.with_payload : calibration.params.without_payload;
  const logit = CONFIDENCE_INPUTS.reduce((sum, name) => sum + (slopes[name] ?? 0) * inputs[name], bias);
  return 1 / (1 + Math.exp(-logit));
}

/**
 * The probability of each group: that of the best is given, and the others are to it as their shares are, but
 * never get more together than it leaves.
 */
export function spread(confidence: number, { shares }: Ranking, groups: number): number[] {
  const [first = 1] = shares;
  const factor = Math.min(confidence / first, (1 - confidence) / Math.max(1 - first, LEAST_SHARE));
  return Array.from({ length: groups }, (_, i) => (i === 0 ? confidence : factor * (shares[i] ?? 0)));
}
