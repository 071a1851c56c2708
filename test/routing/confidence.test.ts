import { describe, expect, test } from 'vitest';
import { confidenceInputs, confidenceOf, sharesOf, spread } from '../../src/routing/confidence.js';
import { CONFIDENCE_INPUTS, type ConfidenceInputs } from '../../src/routing/confidence-inputs.js';
import { FEATURE_NAMES, type FeatureName, type Features } from '../../src/routing/features.js';
import { relevanceUnder, type Weights } from '../../src/routing/weights.js';
import { testWeights } from '../support/weights.js';

/** Features of these values, the others 0. */
function features(values: Partial<Record<FeatureName, number>>): Features {
  return Float64Array.from(FEATURE_NAMES, (name) => values[name] ?? 0);
}

function inputsOf(groups: readonly Features[], withPayload = false, otherLanguage = 0): ConfidenceInputs {
  const shares = sharesOf(groups.map(relevanceUnder(testWeights, withPayload)), withPayload, testWeights);
  return confidenceInputs(groups, shares, { withPayload, otherLanguage }, testWeights);
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

describe('the shares', () => {
  /** Relevances that have these shares, but for a summand. */
  const behindTheFirst = (shares: readonly number[]) =>
    shares.map((share) => Math.log(share / (shares[0] ?? 1)));

  test('are of sixteen, those that are missing having nothing to do with the intent', () => {
    const shares = sharesOf([3, 2], false, testWeights);
    expect(shares).toHaveLength(16);
    expect(sum(shares)).toBeCloseTo(1, 12);
    expect(behindTheFirst(shares)[1]).toBeCloseTo(-1);
    expect(behindTheFirst(shares)[15]).toBeCloseTo(-3);
  });

  test('are filled up with nothing that is more relevant than what was found', () => {
    expect(behindTheFirst(sharesOf([-2, -5], false, testWeights))[15]).toBeCloseTo(-3);
  });

  test('take the unrelated of payloads where one was sent', () => {
    const { params } = testWeights.calibration;
    const unrelated = { without_payload: 0, with_payload: -4 };
    const weights: Weights = {
      ...testWeights,
      calibration: { kind: 'logistic', params: { ...params, unrelated } },
    };
    expect(behindTheFirst(sharesOf([3], true, weights))[1]).toBeCloseTo(-7);
    expect(behindTheFirst(sharesOf([3], false, weights))[1]).toBeCloseTo(-3);
  });

  test('are of the best sixteen only, and overflow nowhere', () => {
    const many = Array.from({ length: 40 }, (_, place) => 2_000 - place);
    const shares = sharesOf(many, false, testWeights);
    expect(shares).toEqual(sharesOf(many.slice(0, 16), false, testWeights));
    expect(sum(shares)).toBeCloseTo(1, 12);
  });

  test('give a lone capability no more than its relevance says', () => {
    const [weak = 1] = sharesOf([0.5], false, testWeights);
    const [strong = 0] = sharesOf([9], false, testWeights);
    expect(weak).toBeLessThan(0.15);
    expect(strong).toBeGreaterThan(0.99);
  });
});

describe('the inputs', () => {
  const near = features({ views_centroid: 0.5, lexical: 0.4 });
  const far = features({ views_centroid: 0.1 });

  test('are finite, whatever there is', () => {
    for (const groups of [[], [near], [far, far], Array(60).fill(near)]) {
      for (const withPayload of [false, true]) {
        const values = Object.entries(inputsOf(groups, withPayload));
        expect(values.map(([name]) => name).sort()).toEqual([...CONFIDENCE_INPUTS].sort());
        expect(values.filter(([, value]) => !Number.isFinite(value))).toEqual([]);
      }
    }
  });

  test("are the log-odds of the best one's share, as far as they say more", () => {
    expect(
      inputsOf([near, near, ...Array(14).fill(features({ views_centroid: -9 }))]).softmax_logit,
    ).toBeCloseTo(0);
    const sure = inputsOf([features({ views_centroid: 50 })]);
    expect(sure.softmax_logit).toBeCloseTo(Math.log((1 - 1e-4) / 1e-4));
  });

  test('know how far the best stands out, wherever all of them lie', () => {
    const standout = (cosines: readonly number[]) =>
      inputsOf(cosines.map((cosine) => features({ views_centroid: cosine }))).standout;
    expect(standout([0.5, 0.3, 0.1])).toBeCloseTo(0.2 / (Math.sqrt(0.08 / 3) + 1e-3));
    expect(standout([0.7, 0.5, 0.3])).toBeCloseTo(standout([0.5, 0.3, 0.1]));
    expect(standout([0.5])).toBe(0);
    expect(standout([0.3, 0.5])).toBeLessThan(0);
  });

  test('see the meaning of the best without its payload, and how many a payload fits', () => {
    const fits = features({ views_centroid: 0.2, all_fit: 1, fields_evidence: 3 });
    const means = features({ views_centroid: 0.5 });
    const inputs = inputsOf([fits, fits, means], true);
    expect(inputs.meaning).toBeCloseTo(8 * 0.2);
    expect(inputs).toMatchObject({ fields_evidence: 3, rivals_fitting: Math.log(3) });
    expect(inputsOf([means], true).rivals_fitting).toBe(0);
  });

  test('tell apart what only the main model knows and what both do', () => {
    const beside = features({ beside_centroid: 0.6, english_centroid: 0.7 });
    const both = inputsOf([beside, far]);
    expect(both).toMatchObject({ english_similarity: 0.7, standout: 0 });
    expect(both.beside_standout).toBeGreaterThan(0.9);
    expect(inputsOf([near, far])).toMatchObject({
      english_similarity: 0,
      beside_standout: 0,
    });
  });

  test('hold how far intent and candidates speak different languages', () => {
    expect(inputsOf([near], false, 0.75).other_language).toBe(0.75);
  });
});

describe('confidence', () => {
  const inputs = inputsOf([features({ views_centroid: 0.5 })]);

  test('is a probability that grows with what speaks for the best', () => {
    const at = (softmax_logit: number) => confidenceOf({ ...inputs, softmax_logit }, false, testWeights);
    expect(at(0)).toBe(0.5);
    expect(at(1)).toBeGreaterThan(at(0));
    expect(at(1e6)).toBe(1);
    expect(at(-1e6)).toBe(0);
  });

  test('is calibrated apart with and without a payload', () => {
    const params = { ...testWeights.calibration.params, with_payload: { bias: 0, slopes: {} } };
    const weights: Weights = { ...testWeights, calibration: { kind: 'logistic', params } };
    expect(confidenceOf({ ...inputs, softmax_logit: 3 }, true, weights)).toBe(0.5);
    expect(confidenceOf({ ...inputs, softmax_logit: 3 }, false, weights)).toBeGreaterThan(0.9);
  });
});

describe('spread over the groups', () => {
  const relevances = [4, 3.5, 3, 1];
  const shares = sharesOf(relevances, false, testWeights);

  test.each([0, 0.1, 0.3, 0.6, 0.9, 0.999, 1])('%d leaves the others the rest at most', (confidence) => {
    const [best, ...others] = spread(confidence, shares, relevances.length);
    expect(best).toBe(confidence);
    expect(sum(others)).toBeLessThanOrEqual(1 - confidence + 1e-12);
    expect(Math.max(...others)).toBeLessThanOrEqual(confidence);
    expect(others).toEqual([...others].sort((a, b) => b - a));
  });

  test('keeps the shares of the others to each other', () => {
    const [, second = 0, third = 0] = spread(0.5, shares, relevances.length);
    expect(second / third).toBeCloseTo(Math.exp(0.5));
  });

  test('leaves nothing to those beyond the ones compared', () => {
    const many = sharesOf(Array(20).fill(1), false, testWeights);
    const confidences = spread(1 / 16, many, 20);
    expect(confidences).toHaveLength(20);
    expect(confidences[15]).toBeCloseTo(1 / 16);
    expect(confidences.slice(16)).toEqual([0, 0, 0, 0]);
  });
});
