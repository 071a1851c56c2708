import { expect, test } from 'vitest';
import { pairedBootstrap } from '../../src/evaluation/paired-bootstrap.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';

type Pair = readonly [before: number, after: number];
const difference = (pairs: readonly Pair[]) =>
  pairs.length === 0 ? null : pairs.reduce((sum, [before, after]) => sum + after - before, 0) / pairs.length;

/** 200 queries: right before with a chance, and others after. */
function drawn(seed: number): Pair[] {
  const random = seededRandom(seed);
  return Array.from({ length: 200 }, () => {
    const before = random() < 0.7 ? 1 : 0;
    const after = random() < 0.1 ? (random() < 0.5 ? 1 : 0) : before;
    return [before, after];
  });
}

test('the true change lies in nine of ten intervals', () => {
  // One of ten is answered anew: rightly in half of the cases, where 0.7 of them were right before.
  const truth = 0.1 * (0.5 - 0.7);
  let covered = 0;
  for (let seed = 1; seed <= 200; seed += 1) {
    const interval = pairedBootstrap(drawn(seed * 1_009), difference);
    if (interval !== null && interval.low <= truth && truth <= interval.high) covered += 1;
  }
  expect(covered / 200).toBeGreaterThan(0.84);
  expect(covered / 200).toBeLessThan(0.96);
});

test('what both sides have in common does not widen the interval', () => {
  const same = drawn(3).map(([before]): Pair => [before, before]);
  expect(pairedBootstrap(same, difference)).toEqual({ value: 0, low: 0, high: 0 });
});

test('the same pairs give the same interval, and none give none', () => {
  expect(pairedBootstrap(drawn(7), difference)).toEqual(pairedBootstrap(drawn(7), difference));
  expect(pairedBootstrap([], difference)).toBeNull();
});
