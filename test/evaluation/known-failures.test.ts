import { expect, test } from 'vitest';
import { LABELLED_SETS } from '../../benchmarks/support/labelled-sets.js';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { type LearningSet, learnWeights } from '../../src/learning/learn-weights.js';
import { foldText } from '../../src/retrieval/fold.js';
import { FEATURE_NAMES, type FeatureName } from '../../src/routing/features.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { judged } from '../support/judged-sample.js';

const START = uncalibratedWeights('0'.repeat(64));

const SIGNALS: readonly FeatureName[] = ['views_centroid', 'lexical', 'english_centroid'];

/** A family in which one signal alone tells the right candidate, always, and two others are noise. */
function familyOf(telling: FeatureName): LearningSet {
  const random = seededRandom(3);
  const samples = Array.from({ length: 300 }, () => {
    const candidates = Array.from({ length: 20 }, (_, place) => {
      const features = new Float64Array(FEATURE_NAMES.length);
      for (const name of SIGNALS) features[FEATURE_NAMES.indexOf(name)] = 0.2 * random();
      features[FEATURE_NAMES.indexOf(telling)] = place === 0 ? 1 : 0.5 * random();
      return features;
    });
    const right = candidates.map((_, place) => place === 0);
    return { withPayload: false, inScope: true, candidates, right, otherLanguage: 0 };
  });
  return { family: telling, weight: 1, samples };
}

test('fitting changes something: other samples give other weights, and none gives those of the start', () => {
  const weightsFrom = (telling: FeatureName) => {
    const { features, calibration } = learnWeights([familyOf(telling)], START);
    const weights = new Map(features.map(({ name, weight }) => [name, weight]));
    return { weights, bias: calibration.params.without_payload.bias };
  };
  const [byMeaning, byWords] = [weightsFrom('views_centroid'), weightsFrom('lexical')];
  for (const [learned, telling, noise] of [
    [byMeaning, 'views_centroid', 'lexical'],
    [byWords, 'lexical', 'views_centroid'],
  ] as const) {
    expect(learned.weights.get(telling)).toBeGreaterThan(10 * (learned.weights.get(noise) ?? 0));
    expect(learned.bias).not.toBe(START.calibration.params.without_payload.bias);
  }
});

test('confidence is not fitted to rankings by weights that know the very examples', () => {
  const families = [familyOf('views_centroid'), familyOf('lexical')];
  const { calibration } = learnWeights(families, START);
  const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  for (const { family, samples } of families) {
    const others = families.filter((other) => other.family !== family);
    const weights = { ...START, features: learnWeights(others, START).features, calibration };
    const answers = samples.map((sample) => judged(sample, weights));
    // What the other family teaches is right on this one by chance, and confidence knows it.
    const right = meanOf(answers.map((answer) => Number(answer.right)));
    expect(right).toBeLessThan(0.3);
    expect(meanOf(answers.map(({ confidence }) => confidence))).toBeLessThan(right + 0.15);
  }
});

test('no family of labelled sets holds the sentences that another is judged by', async () => {
  const families = new Map<string, Set<string>>();
  for (const { family, queries } of LABELLED_SETS) {
    for await (const { intent } of queriesOf(queries)) {
      const sentence = foldText(intent);
      families.set(sentence, (families.get(sentence) ?? new Set()).add(family));
    }
  }
  const shared = [...families].filter(([, some]) => some.size > 1).map(([sentence]) => sentence);
  expect(families.size).toBeGreaterThan(5_000);
  // Two people may say "mute the music".
  expect(shared.filter((sentence) => sentence.length > 40)).toEqual([]);
  expect(shared.length / families.size).toBeLessThan(0.001);
});
