import { expect, test } from 'vitest';
import { type BuiltPart, planBuild } from '../../src/retrieval/build-plan.js';
import type { VectorPart } from '../../src/retrieval/vector-index.js';

const EXACT_UP_TO = 2_000;
const busy = { exactUpTo: EXACT_UP_TO, elsewhere: 0, isQuiet: false };
const quiet = { ...busy, isQuiet: true };

function exactOf(vectorCount: number): VectorPart {
  return { vectorCount, entries: () => [], remove: () => {}, offer: () => {} };
}

function graphOf(vectorCount: number, { gone = 0, isOutdated = false } = {}): BuiltPart {
  return { ...exactOf(vectorCount), placedCount: vectorCount + gone, isOutdated };
}

const sizesOf = (plan: ReturnType<typeof planBuild>) => plan?.sources.map(({ vectorCount }) => vectorCount);

test.each([
  ['few vectors', [2_000], []],
  ['few in front of a graph', [2_000], [graphOf(50_000)]],
  ['a graph of which half is gone', [100], [graphOf(5_000, { gone: 5_000 })]],
])('%s are left as they are', (_, exact, graphs) => {
  expect(planBuild(exact.map(exactOf), graphs, busy)).toBeUndefined();
});

test.each([
  ['many vectors alone', [2_001], [], [2_001]],
  ['many with a graph of twice their number', [2_500], [graphOf(5_000)], [2_500, 5_000]],
  ['many without a graph that is larger', [2_500], [graphOf(5_001)], [2_500]],
  [
    'one graph after the other, as they add up',
    [2_500],
    [graphOf(50_000), graphOf(5_000), graphOf(15_000)],
    [2_500, 5_000, 15_000],
  ],
  ['a graph of which more than half is gone', [100], [graphOf(5_000, { gone: 5_001 })], [100, 5_000]],
  [
    'a graph of another catalogue',
    [0],
    [graphOf(5_000, { isOutdated: true }), graphOf(9_000)],
    [0, 5_000, 9_000],
  ],
])('%s become one graph', (_, exact, graphs, sources) => {
  const plan = planBuild(exact.map(exactOf), graphs, busy);
  expect(plan?.into).toBe('segment');
  expect(sizesOf(plan)).toEqual(sources);
  expect(plan?.vectorCount).toBe(sources.reduce((a, b) => a + b, 0));
});

test('what is few in all is compared one by one, unless more is on its way', () => {
  const parts = [[exactOf(300)], [graphOf(900, { gone: 901 })]] as const;
  expect(planBuild(...parts, busy)?.into).toBe('exact');
  expect(planBuild(...parts, { ...busy, elsewhere: 5_000 })?.into).toBe('segment');
});

test.each([
  ['in front of the graph', [1_200], [graphOf(9_000)]],
  ['gone from the graph', [0], [graphOf(9_000, { gone: 1_200 })]],
  ['in another graph', [0], [graphOf(1_200), graphOf(9_000)]],
  ['in all of these', [500], [graphOf(300), graphOf(9_000, { gone: 400 })]],
])('once it is quiet, more than a tenth %s is joined with everything', (_, exact, graphs) => {
  const parts = [exact.map(exactOf), graphs] as const;
  expect(planBuild(...parts, busy)).toBeUndefined();
  expect(planBuild(...parts, quiet)).toMatchObject({ into: 'segment', sources: [...parts[0], ...parts[1]] });
});

test.each([
  ['less than a tenth is left', [400], [graphOf(9_000, { gone: 400 })], 0],
  ['nothing lies in a graph', [1_900], [], 0],
  ['something is being built', [1_900], [graphOf(9_000)], 100],
])('once it is quiet and %s, nothing is built', (_, exact, graphs, elsewhere) => {
  expect(planBuild(exact.map(exactOf), graphs, { ...quiet, elsewhere })).toBeUndefined();
});

test('segments stay few and each vector is built in few times while a catalogue is replaced again and again', () => {
  const live = 10_000;
  const replaced = 100_000;
  let graphs = [{ placed: live, left: live, from: 0 }];
  let built = 0;
  let most = 0;
  let firstAlive = 0;
  let firstYoung = live;
  // The oldest goes, a new one comes: what a graph holds is a range of numbers.
  for (let next = live; next < live + replaced; next += 1) {
    firstAlive += 1;
    const parts = graphs.map(({ placed, from }) => {
      const left = Math.max(0, Math.min(placed, from + placed - firstAlive));
      return graphOf(left, { gone: placed - left });
    });
    const plan = planBuild([exactOf(next + 1 - firstYoung)], parts, busy);
    if (plan === undefined) continue;
    built += plan.vectorCount;
    graphs = graphs.filter((_, i) => !plan.sources.includes(parts[i] ?? exactOf(0)));
    const from = next + 1 - plan.vectorCount;
    graphs.push({ placed: plan.vectorCount, left: plan.vectorCount, from });
    firstYoung = next + 1;
    most = Math.max(most, graphs.length);
  }
  expect(most).toBeLessThanOrEqual(3);
  expect(built / replaced).toBeLessThanOrEqual(3);
});
