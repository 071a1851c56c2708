import type { Weights } from '../../src/routing/weights.js';

/** The best takes its share of a softmax over all relevances. */
const logistic = { bias: 0, slopes: { softmax_logit: 1 } };
const nothing = { han: [], other: [] };

/**
 * Relevance is a log-odds: with one of 9 among strangers of 0 the best is sure, with one of 1 it is next to
 * nothing, and two that are level share what there is.
 */
export const testWeights: Weights = {
  format: 1,
  version: 'test',
  model_sha256: '0'.repeat(64),
  english_model: null,
  background: { main: nothing, english: nothing },
  features: [
    { name: 'views_centroid', weight: 8, weight_with_payload: 6 },
    { name: 'lexical', weight: 2, weight_with_payload: 1 },
    { name: 'all_fit', weight: 0, weight_with_payload: 5 },
  ],
  calibration: {
    kind: 'logistic',
    params: {
      without_payload: logistic,
      with_payload: logistic,
      unrelated: { without_payload: 0, with_payload: 0 },
    },
  },
  thresholds: { global: 0.75, by_capability: {} },
  top_k: 5,
  trained_on: 'nothing',
};

/** The same weights under another name. */
export const weightsNamed = (version: string, more: Partial<Weights> = {}): Weights => ({
  ...testWeights,
  ...more,
  version,
});
