import { describe, expect, it } from 'vitest';
import { expectedCalibrationError } from '../../src/evaluation/calibration-error.js';
import type { SeenLabel } from '../../src/learning/seen-labels.js';
import { type LearnedWeights, tunedWeights } from '../../src/learning/tuned-weights.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { judged } from '../support/judged-sample.js';
import { samplesOf } from '../support/learning-samples.js';

const BEFORE = uncalibratedWeights('0'.repeat(64));
const WANTED = { precision: 0.9, soFar: 0 };

/** Labels whose candidates are called c0 to c19, of which c0 is right. */
function seen(count: number, seed: number): SeenLabel[] {
  return samplesOf(count, seed).map((sample, line) => ({
    label: {
      line,
      intent: `intent ${line.toString(36)} ${seed}`,
      payload: null,
      expected: sample.inScope ? ['a/c0'] : [],
      lang: 'en',
    },
    sample,
    keys: sample.candidates.map((_, place) => `a/c${place}`),
    sure: true,
  }));
}

const NEW = samplesOf(2_000, 991_001);
const answersUnder = ({ weights }: Pick<LearnedWeights, 'weights'>) =>
  NEW.map((sample) => judged(sample, weights));

/** How far confidences in what is new lie from those before, on the average. */
function moved(learned: LearnedWeights): number {
  const before = answersUnder({ weights: BEFORE });
  const after = answersUnder(learned);
  return (
    after.reduce((sum, { confidence }, i) => sum + Math.abs(confidence - (before[i]?.confidence ?? 0)), 0) /
    after.length
  );
}

describe('tuned weights', () => {
  const ten = tunedWeights(seen(10, 1), BEFORE, WANTED);
  const many = tunedWeights(seen(2_000, 50_021), BEFORE, WANTED);

  it('hardly differ from those before after ten labels, and a lot after two thousand', () => {
    expect(moved(ten)).toBeLessThan(0.08);
    expect(moved(many)).toBeGreaterThan(3 * moved(ten));
    expect(ten.weights.thresholds).toEqual(BEFORE.thresholds);
    expect(ten.weights.top_k).toBe(BEFORE.top_k);
    expect(ten.reachesPrecision).toBeUndefined();
  });

  it('are as sure of what is new as they are right, where those before are not', () => {
    expect(expectedCalibrationError(answersUnder({ weights: BEFORE }))).toBeGreaterThan(0.09);
    expect(expectedCalibrationError(answersUnder(many))).toBeLessThan(0.05);
  });

  it('have a threshold at which what is new is as right as was asked for, and hardly less sure than that', () => {
    const { global } = many.weights.thresholds;
    const sure = answersUnder(many).filter(({ confidence }) => confidence >= global);
    const precision = sure.filter(({ right }) => right).length / sure.length;
    expect(many.reachesPrecision).toBe(true);
    expect(precision).toBeGreaterThan(0.88);
    expect(precision).toBeLessThan(0.95);
  });

  it('come nearest to a precision that can be expected nowhere', () => {
    const wrong = seen(200, 3).map((each) => ({
      ...each,
      sample: { ...each.sample, right: each.sample.right.map((_, place) => place === 7) },
    }));
    const { reachesPrecision, weights } = tunedWeights(wrong, BEFORE, WANTED);
    expect(reachesPrecision).toBe(false);
    expect(answersUnder({ weights }).filter(({ confidence }) => confidence > 0.5)).toEqual([]);
  });

  it('leave what counts as it is where no label is in scope, and are surer of nothing', () => {
    const nothing = seen(200, 4).filter(({ sample }) => !sample.inScope);
    const { weights } = tunedWeights(nothing, BEFORE, WANTED);
    const featuresOf = ({ features }: typeof weights) =>
      features.map(({ name, weight }) => [name, weight]).filter(([, weight]) => weight !== 0);
    expect(featuresOf(weights)).toEqual(featuresOf(BEFORE));
    const mean = (answers: readonly { confidence: number }[]) =>
      answers.reduce((sum, { confidence }) => sum + confidence, 0) / answers.length;
    expect(mean(answersUnder({ weights }))).toBeLessThan(mean(answersUnder({ weights: BEFORE })));
  });

  it('are the same from the same labels, and keep the background to the bit', () => {
    expect(tunedWeights(seen(100, 5), BEFORE, WANTED)).toEqual(tunedWeights(seen(100, 5), BEFORE, WANTED));
    const background = { main: { han: [0.123_456_789], other: [] }, english: { han: [], other: [] } };
    const { weights } = tunedWeights(seen(10, 1), { ...BEFORE, background }, WANTED);
    expect(weights.background).toEqual(background);
  });
});
