import { type FeatureName, type Features, featureOf } from '../routing/features.js';
import type { Weights } from '../routing/weights.js';
import type { RankedSample } from './fit-relevance.js';
import type { LearningSample } from './learning-sample.js';
import { rankedUnder } from './ranked-candidates.js';

/** Of each intent the right candidates and so many others, the most relevant so far: the rest is told apart anyway. */
const RIVALS = 20;

/** A sample with its right candidates and the rivals that lie nearest to them under `weights`. */
export function teachingSample(sample: LearningSample, weight: number, weights: Weights): RankedSample {
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
 * How much more, on the average, candidates that the English model knows get for their meaning than they would get for
 * the main model's cosine alone: so much `not_english` counts. 0 where it knows none.
 */
export function englishGain(
  samples: readonly RankedSample[],
  weightOf: (name: FeatureName) => number,
): number {
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
