import { expect, test } from 'vitest';
import { coverageOf, featuresOf, shapeOf, similarityOf } from '../../src/routing/features.js';
import { indexed } from '../support/candidates.js';

const inputSchema = {
  type: 'object',
  properties: { kpi_data: { type: 'array' }, week: { type: 'integer' }, note: {} },
  required: ['kpi_data'],
};
const similarities = { name: 0.4, description: 0.5, centroid: 0.6, example: 0.7 };
const candidate = { indexed: indexed({ inputSchema }), similarities, lexical: 0.5, declares: false };

function payloadSignals(payload: Record<string, unknown> | null) {
  const { keys_known, required_present, types_valid } = featuresOf(candidate, shapeOf(payload));
  return [keys_known, required_present, types_valid];
}

test('a payload that fits gives full marks, names written otherwise included', () => {
  expect(payloadSignals({ kpiData: [], week: 3 })).toEqual([1, 1, 1]);
});

test('unknown keys, missing required fields and wrong types each cost their own signal', () => {
  expect(payloadSignals({ kpi_data: [], colour: 1 })).toEqual([0.5, 1, 0.5]);
  expect(payloadSignals({ week: 3 })).toEqual([1, 0, 1]);
  expect(payloadSignals({ kpi_data: 'no', week: 1.5 })).toEqual([1, 1, 0]);
  expect(payloadSignals({ kpi_data: [], note: 'any type will do' })).toEqual([1, 1, 1]);
});

test('no payload and an empty one say nothing', () => {
  expect(payloadSignals(null)).toEqual([0, 0, 0]);
  expect(payloadSignals({})).toEqual([0, 0, 0]);
  expect(coverageOf(featuresOf(candidate, undefined), undefined)).toBeNull();
});

test('a capability without examples is judged by its description in their place', () => {
  expect(featuresOf(candidate, undefined).best_example).toBe(0.7);
  const terse = { ...candidate, similarities: { ...similarities, example: undefined } };
  expect(featuresOf(terse, undefined).best_example).toBe(0.5);
  expect(similarityOf(featuresOf(terse, undefined))).toBe(0.5);
});
