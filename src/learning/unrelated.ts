import { COMPARED } from '../routing/confidence.js';
import type { Weights } from '../routing/weights.js';
import type { LearningSample } from './learning-sample.js';
import { rankedUnder } from './ranked-candidates.js';

/** What lies behind the near neighbours of the best, from this rank on (from 0), has nothing to do with the intent. */
const REST_FROM = 5;

/** The relevance of what has nothing to do with an intent: the mean of the candidates behind the first few, all counted alike. */
export function unrelatedIn(samples: readonly LearningSample[], weights: Weights): number {
  const relevances = samples
    .flatMap((sample) => rankedUnder(weights, sample).slice(REST_FROM, COMPARED))
    .map(({ relevance }) => relevance);
  return relevances.reduce((sum, relevance) => sum + relevance, 0) / Math.max(1, relevances.length);
}
