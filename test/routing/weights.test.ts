import { expect, test } from 'vitest';
import { FEATURE_NAMES, type FeatureName } from '../../src/routing/features.js';
import {
  relevanceUnder,
  signalWeightsOf,
  uncalibratedWeights,
  type Weights,
  WeightsSchema,
} from '../../src/routing/weights.js';
import { checkOf } from '../../src/wire/check.js';
import { testWeights } from '../support/weights.js';

const check = checkOf(WeightsSchema);
const features = Float64Array.from(FEATURE_NAMES, (name) =>
  name === 'views_centroid' ? 0.5 : name === 'all_fit' ? 1 : 0.25,
);

test('relevance is the weighted sum of the features that are named, whatever their order', () => {
  const reversed: Weights = { ...testWeights, features: [...testWeights.features].reverse() };
  for (const weights of [testWeights, reversed]) {
    expect(relevanceUnder(weights, false)(features)).toBe(8 * 0.5 + 2 * 0.25);
    expect(relevanceUnder(weights, true)(features)).toBe(6 * 0.5 + 0.25 + 5);
  }
  expect(signalWeightsOf(testWeights, true)).toEqual({ views_centroid: 6, lexical: 1, all_fit: 5 });
});

test('weights may name features and inputs that there are, and no others', () => {
  const [feature] = testWeights.features;
  const strange = { ...feature, name: 'best_example' as FeatureName };
  expect(check(testWeights)).toEqual([]);
  expect(check(uncalibratedWeights('0'.repeat(64)))).toEqual([]);
  expect(check({ ...testWeights, features: [strange] })).not.toEqual([]);
  const { params } = testWeights.calibration;
  const slopes = { share: 1 };
  const calibration = { kind: 'logistic', params: { ...params, with_payload: { bias: 0, slopes } } };
  expect(check({ ...testWeights, calibration })).not.toEqual([]);
});

test('weights have no numbers so large that sums of them are none', () => {
  const [feature] = testWeights.features;
  expect(check({ ...testWeights, features: [{ ...feature, weight: 1e308 }] })).not.toEqual([]);
  const endless = { han: [], other: [-1e308] };
  const background = { ...testWeights.background, main: endless };
  expect(check({ ...testWeights, background })).not.toEqual([]);
});
