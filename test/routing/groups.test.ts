import { describe, expect, test } from 'vitest';
import { areEquivalent, groupsOf } from '../../src/routing/groups.js';
import type { ScoredCandidate } from '../../src/routing/scored-candidate.js';
import { kinship, scored } from '../support/candidates.js';
import { testWeights } from '../support/weights.js';

const unlike = kinship({ likeness: 0 });
const byId = kinship();
const alike = kinship({ likeness: 0.99 });

describe('equivalence', () => {
  test('the same id and schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const a = scored(0, { agent: 'a', inputSchema: schema });
    expect(areEquivalent(a, scored(0, { agent: 'b', inputSchema: schema }), unlike)).toBe(true);
    expect(areEquivalent(a, scored(0, { agent: 'b' }), unlike)).toBe(false);
  });

  test('two that declare no schema agree on nothing by that', () => {
    expect(areEquivalent(scored(0, { agent: 'a' }), scored(0, { agent: 'b' }), unlike)).toBe(false);
  });

  test('each names the other; one alone is not enough', () => {
    const a = scored(0, { agent: 'a', id: 'x', equivalentTo: ['b/y'] });
    const b = scored(0, { agent: 'b', id: 'y', equivalentTo: ['a/x'] });
    expect(areEquivalent(a, b, unlike)).toBe(true);
    expect(areEquivalent(a, scored(0, { agent: 'b', id: 'y' }), unlike)).toBe(false);
  });

  test('near-identical texts, where both schemas accept the payload', () => {
    const a = scored(0, { agent: 'a', id: 'x' });
    const b = scored(0, { agent: 'b', id: 'y' });
    expect(areEquivalent(a, b, alike)).toBe(true);
    expect(areEquivalent(a, b, kinship({ likeness: 0.99, accepts: false }))).toBe(false);
    expect(areEquivalent(a, b, kinship({ likeness: 0.9 }))).toBe(false);
  });
});

const found = (candidates: readonly ScoredCandidate[], withPayload = false) =>
  groupsOf(candidates, byId, { withPayload, otherLanguage: 0.25 }, testWeights);

const other = scored(2, { agent: 'c', id: 'z' });

test('an equivalent takes nothing away: confidence belongs to the group', () => {
  const [alone] = found([scored(4, { agent: 'a' }), other]).groups;
  const [withTwin] = found([scored(4, { agent: 'a' }), scored(3.9, { agent: 'b' }), other]).groups;
  expect(withTwin?.members).toHaveLength(2);
  expect(withTwin?.confidence).toBe(alone?.confidence);
});

test('texts that look apart from the intent are not compared', () => {
  const [a, b] = [scored(4, { agent: 'a', id: 'x' }), scored(4, { agent: 'b', id: 'y' })];
  const seenAt = (summary: number) => ({ ...b, similarities: { ...b.similarities, summary } });
  expect(areEquivalent(a, seenAt(0.02), alike)).toBe(true);
  expect(areEquivalent(a, seenAt(0.04), alike)).toBe(false);
});

test('the most confident comes first, and all of them together are never more than sure', () => {
  const { groups } = found([other, scored(4, { agent: 'a' }), scored(3, { agent: 'b', id: 'y' })]);
  expect(groups.map(({ relevance }) => relevance)).toEqual([4, 3, 2]);
  const confidences = groups.map(({ confidence }) => confidence);
  expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
  expect(confidences.reduce((sum, confidence) => sum + confidence, 0)).toBeLessThanOrEqual(1);
});

test('what confidence is made of is told, that of the request included', () => {
  const { inputs } = found([scored(4, { agent: 'a' }), other]);
  expect(inputs).toMatchObject({ other_language: 0.25, rivals_fitting: 0, lexical: 0 });
});

test('a lone group is not sure for lack of others', () => {
  const [lone] = found([scored(1, { agent: 'a' })]).groups;
  expect(lone?.confidence).toBeLessThan(0.2);
});

test('nothing found is no group, and no confidence is made of anything', () => {
  expect(found([])).toEqual({ groups: [], inputs: undefined });
});
