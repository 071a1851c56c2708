import type { Weights } from '../../src/routing/weights.js';

/** Confidence is 0.5 at a relevance of 0.5 with no margin, and rises steeply with both. */
export const testWeights: Weights = {
  format: 1,
  version: 'test',
  model_sha256: '0'.repeat(64),
  english_model: null,
  features: [
    { name: 'description', weight: 1 },
    { name: 'lexical', weight: 0.5 },
  ],
  calibration: {
    kind: 'logistic',
    params: {
      with_payload: { relevance: 10, margin: 10, bias: -5 },
      without_payload: { relevance: 10, margin: 10, bias: -5 },
      lone_margin: 0.3,
    },
  },
  thresholds: { global: 0.75, by_capability: {} },
  top_k: 5,
  trained_on: 'nothing',
};
