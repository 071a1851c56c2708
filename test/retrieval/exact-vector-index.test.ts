import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { direction } from '../support/candidates.js';

const everything = () => true;

test('k counts capabilities, however many vectors one of them has', () => {
  const index = new ExactVectorIndex(4);
  index.add(
    1,
    Array.from({ length: 100 }, (_, i) => direction(i / 100)),
  );
  index.add(2, [direction(10)]);
  index.add(3, [direction(20)]);
  expect(index.search(direction(0), 2, everything)).toEqual([1, 2]);
});

test('what was removed is never found again, and its place is used by others', () => {
  const index = new ExactVectorIndex(4);
  index.add(1, [direction(0), direction(5)]);
  index.remove(1);
  index.add(2, [direction(90)]);
  expect(index.search(direction(0), 5, everything)).toEqual([2]);
});

test('only accepted capabilities count towards k', () => {
  const index = new ExactVectorIndex(4);
  for (let id = 0; id < 10; id += 1) index.add(id, [direction(id)]);
  expect(index.search(direction(0), 2, (id) => id >= 5)).toEqual([5, 6]);
});

test('finds what a comparison with every vector finds, through any order of changes', () => {
  const change = fc.record({
    id: fc.integer({ min: 0, max: 20 }),
    keep: fc.boolean(),
    degrees: fc.array(fc.double({ min: 0, max: 360, noNaN: true }), { minLength: 1, maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const index = new ExactVectorIndex(4);
      const kept = new Map<number, Float32Array[]>();
      for (const { id, keep, degrees } of changes) {
        index.remove(id);
        kept.delete(id);
        if (!keep) continue;
        const vectors = degrees.map(direction);
        index.add(id, vectors);
        kept.set(id, vectors);
      }
      const query = direction(33);
      const nearest = (vectors: Float32Array[] = []) =>
        Math.max(...vectors.map((vector) => dot(query, vector)));
      const expected = [...kept.values()]
        .map(nearest)
        .sort((a, b) => b - a)
        .slice(0, 5);
      const found = index.search(query, 5, everything).map((id) => nearest(kept.get(id)));
      expect(found).toHaveLength(expected.length);
      // Not the ids: what differs in less than the precision of a float32 may come in any order.
      for (const [i, cosine] of found.entries()) expect(cosine).toBeCloseTo(expected[i] ?? 2, 6);
    }),
  );
});

test.each([
  ['of another length', new Float32Array(5)],
  ['with NaN in it', Float32Array.of(1, Number.NaN, 0, 0)],
])('refuses a vector %s and stays as it was', (_, vector) => {
  const index = new ExactVectorIndex(4);
  index.add(1, [direction(0)]);
  expect(() => index.add(2, [direction(1), vector])).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  expect(index.search(direction(0), 5, everything)).toEqual([1]);
  expect(index.vectorCount).toBe(1);
});
