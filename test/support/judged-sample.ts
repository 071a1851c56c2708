import type { LearningSample } from '../../src/learning/learning-sample.js';
import { confidenceInputs, confidenceOf, sharesOf } from '../../src/routing/confidence.js';
import { relevanceUnder, type Weights } from '../../src/routing/weights.js';

/** How sure weights are of their best candidate, and whether it is right. */
export function judged(sample: LearningSample, weights: Weights) {
  const relevanceOf = relevanceUnder(weights, sample.withPayload);
  const order = sample.candidates
    .map((features, place) => ({ features, right: sample.right[place], relevance: relevanceOf(features) }))
    .sort((a, b) => b.relevance - a.relevance);
  const shares = sharesOf(
    order.map(({ relevance }) => relevance),
    sample.withPayload,
    weights,
  );
  const inputs = confidenceInputs(
    order.map(({ features }) => features),
    shares,
    sample,
    weights,
  );
  return { confidence: confidenceOf(inputs, sample.withPayload, weights), right: order[0]?.right === true };
}
