import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextBatch } from '../../src/embedding/next-batch.js';

test('the oldest is in it, nobody twice, and the padded size is kept', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 0, max: 1_024 }), (waiting, max) => {
      const batch = nextBatch(waiting, max);
      expect(batch[0]).toBe(0);
      expect(new Set(batch).size).toBe(batch.length);
      const longest = Math.max(...batch.map((index) => waiting[index] ?? 0));
      expect(batch.length === 1 || longest * batch.length <= max).toBe(true);
    }),
  );
});

test('the oldest goes with those of its length', () => {
  expect(nextBatch([10, 300, 11, 9, 200, 10], 50)).toEqual([0, 5, 2, 3]);
});

test('with no room for two, one goes alone', () => {
  expect(nextBatch([10, 10], 0)).toEqual([0]);
  expect(nextBatch([], 512)).toEqual([]);
});
