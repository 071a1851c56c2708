import { describe, expect, test } from 'vitest';
import { confidenceInputs, confidenceOf, rankingOf, spread } from '../../src/routing/confidence.js';
import { CONFIDENCE_INPUTS, type ConfidenceInputs } from '../../src/routing/confidence-inputs.js';
import { FEATURE_NAMES, type FeatureName, type Features } from '../../src/routing/features.js';
import { relevanceUnder, type Weights } from '../../src/routing/weights.js';
import { testWeights } from '../support/weights.js';

/** Features of these values, the others 0. */
function features(values: Partial<Record<FeatureName, number>>): Features {
  return Float64Array.from(FEATURE_NAMES, (name) => values[name] ?? 0);
}

function inputsOf(groups: readonly Features[], withPayload = false): ConfidenceInputs {
  const ranking = rankingOf(groups.map(relevanceUnder(testWeights, withPayload)), withPayload, testWeights);
  return confidenceInputs(groups, ranking, { withPayload, unknownWords: 0, capabilities: 9 }, testWeights);
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

describe('a ranking', () => {
  test('is filled up with what has nothing to do with the intent', () => {
    const { relevances, shares } = rankingOf([3, 2], false, testWeights);
    expect(relevances).toEqual([3, 2, ...Array(14).fill(0)]);
    expect(sum(shares)).toBeCloseTo(1, 12);
  });

  test('is filled up with nothing that is more relevant than what was found', () => {
    expect(rankingOf([-2, -5], false, testWeights).relevances).toEqual([-2, -5, ...Array(14).fill(-5)]);
  });

  test('takes the unrelated of payloads where one was sent', () => {
    const { params } = testWeights.calibration;
    const unrelated = { without_payload: 0, with_payload: -4 };
    const weights: Weights = {
      ...testWeights,
      calibration: { kind: 'logistic', params: { ...params, unrelated } },
    };
    expect(rankingOf([3], true, weights).relevances[1]).toBe(-4);
    expect(rankingOf([3], false, weights).relevances[1]).toBe(0);
  });

  test('looks at the best sixteen only, and overflows nowhere', () => {
    const many = Array.from({ length: 40 }, (_, place) => 2_000 - place);
    const { relevances, shares } = rankingOf(many, false, testWeights);
    expect(relevances).toEqual(many.slice(0, 16));
    expect(sum(shares)).toBeCloseTo(1, 12);
  });

  test('gives a lone capability no more than its relevance says', () => {
    const [weak = 1] = rankingOf([0.5], false, testWeights).shares;
    const [strong = 0] = rankingOf([9], false, testWeights).shares;
    expect(weak).toBeLessThan(0.15);
    expect(strong).toBeGreaterThan(0.99);
  });
});

describe('the inputs', () => {
  const near = features({ centroid: 0.5, lexical: 0.4 });
  const far = features({ centroid: 0.1 });

  test('are finite, whatever there is', () => {
    for (const groups of [[], [near], [far, far], Array(60).fill(near)]) {
      for (const withPayload of [false, true]) {
        const values = Object.entries(inputsOf(groups, withPayload));
        expect(values.map(([name]) => name).sort()).toEqual([...CONFIDENCE_INPUTS].sort());
        expect(values.filter(([, value]) => !Number.isFinite(value))).toEqual([]);
      }
    }
  });

  test('know how far the best is ahead of the fifth, and of all that come after it', () => {
    const groups = [0.5, 0.45, 0.4, 0.3, 0.25].map((centroid) => features({ centroid }));
    const { relevance, margin, lead } = inputsOf(groups);
    expect(relevance).toBe(4);
    expect(margin).toBeCloseTo(8 * (0.5 - 0.25));
    expect(lead).toBeCloseTo(4);
  });

  test('stop counting where more says no more', () => {
    const { softmax_logit, margin, lead } = inputsOf([features({ centroid: 50 })]);
    expect(margin).toBe(10);
    expect(lead).toBe(14);
    expect(softmax_logit).toBeCloseTo(Math.log((1 - 1e-4) / 1e-4));
  });

  test('see by how much meaning alone would put the best ahead', () => {
    const fits = features({ centroid: 0.2, all_fit: 1 });
    const means = features({ centroid: 0.5 });
    const [alone, byPayload] = [inputsOf([means, far]), inputsOf([fits, means, far], true)];
    expect(alone.meaning_lead).toBe(alone.lead);
    expect(byPayload.lead).toBeGreaterThan(5);
    expect(byPayload.meaning_lead).toBeCloseTo(8 * 0.2);
    expect(byPayload.fit_evidence).toBe(0);
    const telling = features({ centroid: 0.2, all_fit: 1, fields_evidence: 3 });
    expect(inputsOf([telling], true)).toMatchObject({ all_fit: 1, fit_evidence: 3 });
  });

  test('count which of the signals name the same best', () => {
    const agreed = features({ centroid: 0.5, full: 0.5, lexical: 0.5 });
    const byWords = features({ centroid: 0.4, full: 0.4, lexical: 0.9 });
    expect(inputsOf([agreed, far]).agreement).toBe(1);
    expect(inputsOf([agreed, byWords]).agreement).toBeCloseTo(2 / 3);
    expect(inputsOf([features({ all_fit: 1 }), features({ all_fit: 0.5 })], true).agreement).toBe(0);
  });

  test('count candidates that only one model knows, and those of both, as of one kind', () => {
    const beside = features({ beside_centroid: 0.6, english_centroid: 0.7 });
    const { agreement, beside_english, english_similarity, beside_similarity, similarity } = inputsOf([
      beside,
      features({ centroid: 0.65 }),
    ]);
    expect(agreement).toBe(1 / 2);
    expect([beside_english, english_similarity, beside_similarity, similarity]).toEqual([1, 0.7, 0.6, 0]);
    expect(inputsOf([near]).beside_english).toBe(0);
  });
});

describe('confidence', () => {
  const inputs = inputsOf([features({ centroid: 0.5 })]);

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
  const ranking = rankingOf(relevances, false, testWeights);

  test.each([0, 0.1, 0.3, 0.6, 0.9, 0.999, 1])('%d leaves the others the rest at most', (confidence) => {
    const [best, ...others] = spread(confidence, ranking, relevances.length);
    expect(best).toBe(confidence);
    expect(sum(others)).toBeLessThanOrEqual(1 - confidence + 1e-12);
    expect(Math.max(...others)).toBeLessThanOrEqual(confidence);
    expect(others).toEqual([...others].sort((a, b) => b - a));
  });

  test('keeps the shares of the others to each other', () => {
    const [, second = 0, third = 0] = spread(0.5, ranking, relevances.length);
    expect(second / third).toBeCloseTo(Math.exp(0.5));
  });

  test('leaves nothing to those beyond the ones compared', () => {
    const many = rankingOf(Array(20).fill(1), false, testWeights);
    const confidences = spread(1 / 16, many, 20);
    expect(confidences).toHaveLength(20);
    expect(confidences[15]).toBeCloseTo(1 / 16);
    expect(confidences.slice(16)).toEqual([0, 0, 0, 0]);
  });
});
