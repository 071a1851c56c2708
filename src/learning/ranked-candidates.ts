import { confidenceInputs, sharesOf } from '../routing/confidence.js';
import type { ConfidenceInputs } from '../routing/confidence-inputs.js';
import type { Features } from '../routing/features.js';
import { relevanceUnder, type Weights } from '../routing/weights.js';
import type { LearningSample } from './learning-sample.js';

/** A candidate of a sample under weights. */
export interface RankedCandidate {
  readonly features: Features;
  readonly isRight: boolean;
  readonly relevance: number;
  /** Where it stands in the sample. */
  readonly place: number;
}

/** The candidates of a sample, the most relevant first. */
export function rankedUnder(
  weights: Weights,
  { candidates, right, withPayload }: LearningSample,
): RankedCandidate[] {
  const relevanceOf = relevanceUnder(weights, withPayload);
  return candidates
    .map((features, place) => ({
      features,
      isRight: right[place] ?? false,
      relevance: relevanceOf(features),
      place,
    }))
    .sort((a, b) => b.relevance - a.relevance);
}

/** What confidence is made of where the candidates of a sample are ranked under weights, each a group of its own. */
export function inputsUnder(
  weights: Weights,
  sample: LearningSample,
  order: readonly RankedCandidate[],
): ConfidenceInputs {
  const relevances = order.map(({ relevance }) => relevance);
  const shares = sharesOf(relevances, sample.withPayload, weights);
  const groups = order.map(({ features }) => features);
  return confidenceInputs(groups, shares, sample, weights);
}
