import { expect, test } from 'vitest';
import { type LearningSet, learnWeights } from '../../src/learning/learn-weights.js';
import { FEATURE_NAMES } from '../../src/routing/features.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { judged } from '../support/judged-sample.js';
import { samplesOf } from '../support/learning-samples.js';

const START = uncalibratedWeights('0'.repeat(64));
const PLACE = Object.fromEntries(FEATURE_NAMES.map((name, place) => [name, place]));

const setOf = (family: string, seed: number): LearningSet => ({
  family,
  weight: 1,
  samples: samplesOf(400, seed),
});
const SETS = [setOf('a', 1), setOf('b', 2), setOf('c', 3)];

test('what tells the right one apart counts, noise hardly does, and the same again gives the same digits', () => {
  const { features, calibration } = learnWeights(SETS, START);
  const weightOf = (name: string) => features.find((feature) => feature.name === name)?.weight ?? 0;
  expect(weightOf('views_centroid')).toBeGreaterThan(5);
  expect(weightOf('lexical')).toBeLessThan(0.5);
  expect(features).not.toEqual(START.features);
  expect(learnWeights(SETS, START)).toEqual({ features, calibration });
});

test('confidence is right as often as it says on samples that nothing was learned from', () => {
  const weights = { ...START, ...learnWeights(SETS, START) };
  const answers = samplesOf(2_000, 9).map((sample) => judged(sample, weights));
  for (const [from, to] of [
    [0, 0.5],
    [0.5, 1],
  ] as const) {
    const some = answers.filter(({ confidence }) => confidence >= from && confidence < to);
    const said = some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length;
    const was = some.filter(({ right }) => right).length / some.length;
    expect(some.length).toBeGreaterThan(50);
    expect(Math.abs(said - was), `${from} to ${to}`).toBeLessThan(0.08);
  }
  const [sure, unsure] = [true, false].map((right) => answers.filter((answer) => answer.right === right));
  const mean = (some: typeof answers = []) =>
    some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length;
  expect(mean(sure)).toBeGreaterThan(mean(unsure) + 0.2);
});

test('what the English model adds to a meaning is what those miss that it does not know', () => {
  const beside = SETS.map((set) => ({
    ...set,
    samples: set.samples.map((sample) => ({
      ...sample,
      candidates: sample.candidates.map((known) => {
        const features = new Float64Array(known.length);
        features[PLACE.beside_centroid ?? 0] = 0.2;
        features[PLACE.english_centroid ?? 0] = (known[PLACE.views_centroid ?? 0] ?? 0) + 0.5;
        return features;
      }),
    })),
  }));
  const { features } = learnWeights(beside, START);
  const named = new Map(features.map(({ name, weight }) => [name as string, weight]));
  const english = named.get('english_centroid') ?? 0;
  expect(english).toBeGreaterThan(5);
  expect(named.get('not_english')).toBeGreaterThan(0.8 * english);
  expect(named.get('not_english')).toBeLessThan(1.1 * english);
  const { features: inMain } = learnWeights(SETS, START);
  expect(inMain.find(({ name }) => name === 'not_english')?.weight).toBe(0);
});

test('one family alone can be learned from too', () => {
  const { features } = learnWeights([setOf('a', 1)], START);
  expect(features.every(({ weight }) => Number.isFinite(weight))).toBe(true);
});
