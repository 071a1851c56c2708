import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TopK } from '../../src/retrieval/top-k.js';

test('keeps what a full sort would put first, equal scores by the smaller id', () => {
  const scores = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 30 }), (given, k) => {
      const top = new TopK(k);
      for (const [id, score] of given.entries()) top.offer(id, score);
      const sorted = given
        .map((score, id) => ({ id, score }))
        .sort((a, b) => b.score - a.score || a.id - b.id);
      expect(top.ids()).toEqual(sorted.slice(0, k).map(({ id }) => id));
    }),
  );
});
