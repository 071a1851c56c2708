import { expect, test } from 'vitest';
import { vectorIndexReport } from '../../src/retrieval/vector-index-report.js';

const few = { building: false, exactVectors: 40, segmentVectors: [] };
const many = { building: true, exactVectors: 40, segmentVectors: [3_000, 2_000] };

test.each([
  [
    'unopened',
    few,
    {
      state: 'ok',
      detail: '40 vectors of small are compared one by one.',
      kind: 'exact',
      vectors: 40,
      building: false,
    },
  ],
  [
    'open',
    many,
    {
      state: 'ok',
      detail: '5000 vectors of small lie in graphs (2), 40 are compared one by one. A graph is being built.',
      kind: 'graph',
      vectors: 5_040,
      building: true,
    },
  ],
  ['waiting', few, { state: 'degraded', detail: expect.stringContaining('is tried again') }],
  ['exact only', few, { state: 'degraded', detail: expect.stringContaining('hnswlib-node cannot be used') }],
] as const)('an index that is %s is told', (state, status, report) => {
  expect(vectorIndexReport([{ model: 'small', index: { state, status: () => status } }])).toMatchObject(
    report,
  );
});

test('of two indexes the worse state is told, and what both hold', () => {
  const open = { model: 'one', index: { state: 'open', status: () => many } } as const;
  const waiting = { model: 'two', index: { state: 'waiting', status: () => few } } as const;
  expect(vectorIndexReport([open, waiting])).toMatchObject({
    state: 'degraded',
    detail: expect.stringMatching(
      /5000 vectors of one lie in graphs.* 40 vectors of two are compared.*tried again/,
    ),
    kind: 'graph',
    vectors: 5_080,
    building: true,
  });
  const unopened = { model: 'one', index: { state: 'unopened', status: () => few } } as const;
  expect(vectorIndexReport([unopened, unopened])).toMatchObject({
    state: 'ok',
    kind: 'exact',
    vectors: 80,
    building: false,
  });
});
