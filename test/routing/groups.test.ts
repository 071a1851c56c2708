import { describe, expect, test } from 'vitest';
import { areEquivalent, groupsOf } from '../../src/routing/groups.js';
import { confidenceOf } from '../../src/routing/weights.js';
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

test('an equivalent does not eat the margin: confidence belongs to the group', () => {
  const alone = groupsOf(
    [scored(0.8, { agent: 'a' }), scored(0.2, { agent: 'c', id: 'z' })],
    byId,
    false,
    testWeights,
  );
  const withTwin = groupsOf(
    [scored(0.8, { agent: 'a' }), scored(0.79, { agent: 'b' }), scored(0.2, { agent: 'c', id: 'z' })],
    byId,
    false,
    testWeights,
  );
  expect(withTwin[0]?.members).toHaveLength(2);
  expect(withTwin[0]?.confidence).toBe(alone[0]?.confidence);
});

test('the first group is the most confident; the margin of the others is negative', () => {
  const groups = groupsOf(
    [scored(0.3, { agent: 'c', id: 'z' }), scored(0.8, { agent: 'a' })],
    byId,
    false,
    testWeights,
  );
  expect(groups.map(({ relevance }) => relevance)).toEqual([0.8, 0.3]);
  expect(groups[0]?.margin).toBeCloseTo(0.5);
  expect(groups[1]?.margin).toBeCloseTo(-0.5);
});

test('confidence is a probability that grows with relevance and with margin', () => {
  const at = (relevance: number, margin: number) => confidenceOf(relevance, margin, false, testWeights);
  expect(at(0.5, 0)).toBe(0.5);
  expect(at(0.6, 0)).toBeGreaterThan(at(0.5, 0));
  expect(at(0.5, 0.1)).toBeGreaterThan(at(0.5, 0));
  expect(at(100, 100)).toBeLessThanOrEqual(1);
  expect(at(-100, -100)).toBeGreaterThanOrEqual(0);
});

test('calibration knows whether a payload was there', () => {
  const params = {
    ...testWeights.calibration.params,
    with_payload: { relevance: 0, margin: 0, bias: 0 },
  };
  const weights = { ...testWeights, calibration: { kind: 'logistic' as const, params } };
  expect(confidenceOf(0.9, 0, true, weights)).toBe(0.5);
  expect(confidenceOf(0.9, 0, false, weights)).toBeGreaterThan(0.9);
});

test('a lone group is not sure for lack of others', () => {
  const [lone] = groupsOf([scored(0.2, { agent: 'a' })], byId, false, testWeights);
  expect(lone?.margin).toBe(0.3);
  expect(lone?.confidence).toBeLessThan(0.75);
});
