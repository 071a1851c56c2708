import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { direction } from '../support/candidates.js';

const everything = () => true;

test('what was removed is never found again, and its place is used by others', () => {
  const index = new ExactVectorIndex(4);
  index.add(1, direction(0));
  index.remove(1);
  index.add(2, direction(90));
  expect(index.search(direction(0), 5, everything)).toEqual([2]);
});

test('only accepted capabilities count towards k', () => {
  const index = new ExactVectorIndex(4);
  for (let id = 0; id < 10; id += 1) index.add(id, direction(id));
  expect(index.search(direction(0), 2, (id) => id >= 5)).toEqual([5, 6]);
});

test('finds what a comparison with every vector finds, through any order of changes', () => {
  const change = fc.record({
    id: fc.integer({ min: 0, max: 20 }),
    keep: fc.boolean(),
    degrees: fc.double({ min: 0, max: 360, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const index = new ExactVectorIndex(4);
      const kept = new Map<number, Float32Array>();
      for (const { id, keep, degrees } of changes) {
        index.remove(id);
        kept.delete(id);
        if (!keep) continue;
        index.add(id, direction(degrees));
        kept.set(id, direction(degrees));
      }
      const query = direction(33);
      const cosineOf = (vector: Float32Array | undefined) => dot(query, vector ?? new Float32Array(4));
      const expected = [...kept.values()]
        .map(cosineOf)
        .sort((a, b) => b - a)
        .slice(0, 5);
      const found = index.search(query, 5, everything).map((id) => cosineOf(kept.get(id)));
      expect(found).toHaveLength(expected.length);
      // Not the ids: what differs in less than the precision of a float32 may come in any order.
      for (const [i, cosine] of found.entries()) expect(cosine).toBeCloseTo(expected[i] ?? 2, 6);
    }),
  );
});

test('finds the nearest of thousands, in whichever place it lies, and gives back what was added', () => {
  const index = new ExactVectorIndex(4);
  const degrees = (id: number) => id / 10;
  for (let id = 0; id < 3_000; id += 1) index.add(id, direction(degrees(id)));
  for (const id of [0, 1_023, 1_024, 2_047, 2_048, 2_999]) {
    expect(index.search(direction(degrees(id)), 1, everything)).toEqual([id]);
  }
  index.remove(1_024);
  const left = [...index.entries()];
  expect(left).toHaveLength(2_999);
  for (const [id, vector] of left) expect(vector).toEqual(direction(degrees(id)));
});

test.each([
  ['of another length', new Float32Array(5)],
  ['with NaN in it', Float32Array.of(1, Number.NaN, 0, 0)],
])('refuses a vector %s and stays as it was', (_, vector) => {
  const index = new ExactVectorIndex(4);
  index.add(1, direction(0));
  expect(() => index.add(2, vector)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  expect(index.search(direction(0), 5, everything)).toEqual([1]);
  expect(index.vectorCount).toBe(1);
});
