import { expect, test } from 'vitest';
import { CandidateCache, candidateKey } from '../../src/routing/candidate-cache.js';
import type { CandidateSet } from '../../src/routing/candidate-set.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import type { RouteRequest } from '../../src/wire/route.js';

const keyOf = (request: RouteRequest, groups = 5) =>
  candidateKey({ kind: 'find', intent: 'a', request }, groups);
// The cache only hands it back.
const set = {} as CandidateSet;
const weights = uncalibratedWeights('0'.repeat(64));
const at = (catalogueVersion: number) => ({ catalogueVersion, weights });

test('what does not change the candidates does not change the key', () => {
  const key = keyOf({ payload: { a: 1, b: 'x' } });
  expect(keyOf({ payload: { b: 'other', a: 2 }, threshold: 0, sessionId: 's', hint: 'i' })).toBe(key);
});

test.each<[string, RouteRequest]>([
  ['no payload', {}],
  ['an empty payload', { payload: {} }],
  ['other fields', { payload: { a: 1 } }],
  ['another type', { payload: { a: 'x', b: 'x' } }],
  ['a filter', { payload: { a: 1, b: 'x' }, filter: { tags: ['kpi'] } }],
])('%s is another key', (_, request) => {
  expect(keyOf(request)).not.toBe(keyOf({ payload: { a: 1, b: 'x' } }));
});

test('more groups are another key, and all are another than many', () => {
  expect(new Set([5, 6, 64, Number.POSITIVE_INFINITY].map((groups) => keyOf({}, groups))).size).toBe(4);
});

test('no payload and an empty one differ: one asks for nothing, the other lacks fields', () => {
  expect(keyOf({})).toBe(keyOf({ payload: null }));
  expect(keyOf({})).not.toBe(keyOf({ payload: {} }));
});

test('a set is good for its catalogue alone, and for thirty seconds', () => {
  const cache = new CandidateCache();
  cache.set('k', set, at(7), 1_000);
  expect(cache.get('k', at(7), 31_000)).toBe(set);
  expect(cache.get('k', at(8), 1_000)).toBeUndefined();
  expect(cache.get('k', at(7), 31_001)).toBeUndefined();
  expect(cache.get('other', at(7), 1_000)).toBeUndefined();
});

test('sets of a catalogue gone by are let go', () => {
  const cache = new CandidateCache();
  cache.set('k', set, at(7), 1_000);
  expect(cache.get('other', at(8), 1_000)).toBeUndefined();
  expect(cache.get('k', at(7), 1_000)).toBeUndefined();
});

test('a set scored under other weights is none of these', () => {
  const cache = new CandidateCache();
  cache.set('k', set, at(7), 1_000);
  expect(cache.get('k', { catalogueVersion: 7, weights: { ...weights } }, 1_000)).toBeUndefined();
  expect(cache.get('k', at(7), 1_000)).toBeUndefined();
});

test('it is bounded: what was asked longest ago goes first', () => {
  const cache = new CandidateCache();
  for (let i = 0; i <= 2_000; i += 1) cache.set(`k${i}`, set, at(1), 0);
  expect(cache.get('k0', at(1), 0)).toBeUndefined();
  expect(cache.get('k2000', at(1), 0)).toBe(set);
});
