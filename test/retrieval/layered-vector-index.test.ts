import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LayeredVectorIndex } from '../../src/retrieval/layered-vector-index.js';
import { HandClock } from '../support/hand-clock.js';
import {
  DIM,
  EXACT_UP_TO,
  everything,
  exactOf,
  fill,
  openIndex,
  recall,
  settled,
  vectorsOf,
} from './vector-fixtures.js';

const none = new Float32Array(DIM);

async function builtIndex(count: number) {
  const { index } = openIndex();
  const { vectors, queries } = vectorsOf(count);
  fill(index, vectors);
  await settled(index);
  expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [count] });
  return { index, vectors, queries };
}

/** Every capability is the nearest to its own vector. */
function expectAllFound(index: LayeredVectorIndex, members: Iterable<[number, Float32Array]>): void {
  for (const [id, vector] of members) expect(index.search(vector, 1, everything)).toEqual([id]);
}

test('few vectors are compared one by one, without a file, a process or a wait', async () => {
  const { index } = openIndex();
  fill(index, vectorsOf(EXACT_UP_TO).vectors);
  expect(index.status().building).toBe(false);
  await nextTurn();
  expect(index.status()).toEqual({ building: false, exactVectors: EXACT_UP_TO, segmentVectors: [] });
});

test('thousands in one go are found at once, while a segment of them is built, and after', async () => {
  const { index } = openIndex();
  const { vectors, queries } = vectorsOf(5_000);
  const exact = exactOf(vectors);
  fill(index, vectors);
  let searches = 0;
  while (index.status().building) {
    expect(recall(index, exact, queries.slice(0, 5), 5)).toBe(1);
    searches += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(searches).toBeGreaterThan(2);
  expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [5_000] });
  expect(recall(index, exact, queries, 5)).toBeGreaterThanOrEqual(0.99);
});

test('orders and scores as the exact scan does, wherever a vector lies', async () => {
  const { index, vectors, queries } = await builtIndex(1_200);
  const more = vectorsOf(100, 2).vectors;
  fill(index, more, 1_200);
  const exact = exactOf([...vectors, ...more]);
  expect(recall(index, exact, queries, 32)).toBeGreaterThanOrEqual(0.999);
  const [query = none] = queries;
  expect(index.search(query, 5, everything)).toEqual(exact.search(query, 5, everything));
});

test('a filter that leaves one in a thousand is served exactly, and one that throws harms nobody', async () => {
  const { index, vectors, queries } = await builtIndex(3_000);
  const exact = exactOf(vectors);
  const rare = (id: number) => id % 1_000 === 7;
  for (const query of queries) expect(index.search(query, 5, rare)).toEqual(exact.search(query, 5, rare));
  const [query = none] = queries;
  const refuse = () => {
    throw new Error('no');
  };
  expect(() => index.search(query, 5, refuse)).toThrow('no');
  expect(index.search(query, 5, everything)).toEqual(exact.search(query, 5, everything));
});

test('hundreds of capabilities with the very same vector hide no other', async () => {
  const { index } = openIndex();
  const { vectors } = vectorsOf(1_000);
  const [same = none] = vectorsOf(1, 8).vectors;
  fill(index, vectors);
  fill(index, Array(500).fill(same), 1_000);
  await settled(index);
  expectAllFound(index, vectors.entries());
  expect(index.search(same, 5, everything)).toEqual([1_000, 1_001, 1_002, 1_003, 1_004]);
});

test('ids larger than 32 bits are no others', async () => {
  const { index } = openIndex();
  const { vectors } = vectorsOf(300);
  const first = 2 ** 32 + 5;
  fill(index, vectors, first);
  await settled(index);
  expectAllFound(
    index,
    vectors.map((vector, i) => [first + i, vector]),
  );
});

test('what is removed and what is added during a build is right at every moment', async () => {
  const { index } = openIndex();
  const { vectors } = vectorsOf(3_000);
  const members = new Map<number, Float32Array>(vectors.entries());
  fill(index, vectors);
  await nextTurn();
  for (const id of [0, 700, 2_999]) {
    index.remove(id);
    members.delete(id);
  }
  // The same id again with another vector, as if it had been published anew.
  const [replaced = none, added = none] = vectorsOf(2, 9).vectors;
  index.remove(5);
  index.add(5, replaced);
  members.set(5, replaced);
  index.add(9_000, added);
  members.set(9_000, added);
  expect(index.status().building).toBe(true);
  expectAllFound(index, members);
  await settled(index);
  expect(index.status().segmentVectors).toHaveLength(1);
  expectAllFound(index, members);
});

test('what is removed at any moment of a build is never found again', async () => {
  const { index } = openIndex();
  const { vectors } = vectorsOf(4_000);
  fill(index, vectors);
  const removed = new Set<number>();
  while (index.status().building && removed.size < 400) {
    index.remove(removed.size);
    removed.add(removed.size);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await settled(index);
  expect(removed.size).toBeGreaterThan(20);
  expect(index.status().segmentVectors).toEqual([4_000 - removed.size]);
  for (const id of removed) {
    for (const found of index.search(vectors[id] ?? none, 20, everything))
      expect(removed.has(found)).toBe(false);
  }
});

test('an index that was emptied is empty, and takes what comes then', async () => {
  const { index, vectors } = await builtIndex(500);
  for (let id = 0; id < 500; id += 1) index.remove(id);
  await settled(index);
  expect(index.search(vectors[0] ?? none, 5, everything)).toEqual([]);
  expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [] });
  fill(index, vectors);
  await settled(index);
  expectAllFound(index, vectors.entries());
});

test('is exact again when almost all is gone, and takes what comes back', async () => {
  const { index, vectors } = await builtIndex(1_600);
  for (let id = 100; id < 1_600; id += 1) index.remove(id);
  await settled(index);
  expect(index.status()).toEqual({ building: false, exactVectors: 100, segmentVectors: [] });
  fill(index, vectors.slice(100), 100);
  await settled(index);
  expectAllFound(index, vectors.entries());
});

test('is as good as the exact scan through any order of changes, builds running in between', async () => {
  const change = fc.record({
    add: fc.integer({ min: 0, max: 400 }),
    remove: fc.integer({ min: 0, max: 150 }),
    replace: fc.integer({ min: 0, max: 100 }),
    wait: fc.constantFrom('not', 'a turn', 'a while', 'until built'),
  });
  let found = 0;
  let wanted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 8 }), async (changes) => {
      const { index } = openIndex();
      const exact = exactOf([]);
      const pool = vectorsOf(3_200, 3);
      const ids: number[] = [];
      let next = 0;
      const add = () => {
        const vector = pool.vectors[next] ?? none;
        index.add(next, vector);
        exact.add(next, vector);
        ids.push(next);
        next += 1;
      };
      const remove = () => {
        const [id] = ids.splice((next * 31) % Math.max(1, ids.length), 1);
        if (id === undefined) return;
        index.remove(id);
        exact.remove(id);
      };
      for (const { add: added, remove: removed, replace, wait } of changes) {
        for (let i = 0; i < added; i += 1) add();
        for (let i = 0; i < removed; i += 1) remove();
        for (let i = 0; i < replace && next < 3_200; i += 1) {
          remove();
          add();
        }
        if (wait === 'a turn') await nextTurn();
        if (wait === 'a while') await new Promise((resolve) => setTimeout(resolve, 80));
        if (wait === 'until built') await settled(index);
        const live = new Set(ids);
        for (const query of pool.queries.slice(0, 10)) {
          const expected = exact.search(query, 5, everything);
          const received = index.search(query, 5, everything);
          expect(new Set(received).size).toBe(Math.min(5, live.size));
          for (const id of received) expect(live.has(id)).toBe(true);
          wanted += expected.length;
          found += expected.filter((id) => received.includes(id)).length;
        }
      }
      await index.close();
    }),
    // A smaller counterexample would take minutes to find: each try starts processes.
    { numRuns: 8, endOnFailure: true },
  );
  expect(found / wanted).toBeGreaterThanOrEqual(0.99);
});

test('thousands of replacements leave size and recall where they were', async () => {
  const { index, vectors, queries } = await builtIndex(2_000);
  const exact = exactOf(vectors);
  const fresh = vectorsOf(6_000, 4).vectors;
  const parts: number[] = [];
  for (const [i, vector] of fresh.entries()) {
    for (const part of [index, exact]) {
      part.remove(i);
      part.add(2_000 + i, vector);
    }
    if (i % 500 !== 0) continue;
    await settled(index);
    parts.push(index.status().segmentVectors.length);
  }
  await settled(index);
  const { exactVectors, segmentVectors } = index.status();
  expect(exactVectors + segmentVectors.reduce((a, b) => a + b, 0)).toBe(2_000);
  expect(Math.max(...parts)).toBeLessThanOrEqual(4);
  expect(recall(index, exact, queries, 5)).toBeGreaterThanOrEqual(0.99);
});

test('when changes have come to rest, all lies in one graph again', async () => {
  const clock = new HandClock();
  const { index } = openIndex({ clock });
  const { vectors } = vectorsOf(2_000);
  const fresh = vectorsOf(300, 4).vectors;
  const members = new Map<number, Float32Array>(vectors.entries());
  fill(index, vectors);
  await settled(index);
  for (const [i, vector] of fresh.entries()) {
    if (i === 200) clock.pass(4_000);
    index.remove(i);
    members.delete(i);
    index.add(2_000 + i, vector);
    members.set(2_000 + i, vector);
  }
  clock.pass(4_000);
  await settled(index);
  expect(index.status().exactVectors + index.status().segmentVectors.length).toBeGreaterThan(1);
  clock.pass(5_000);
  await settled(index);
  expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [2_000] });
  expectAllFound(index, members);
  clock.pass(5_000);
  expect(index.status().building).toBe(false);
  expect(clock.delays).toEqual([]);
});
