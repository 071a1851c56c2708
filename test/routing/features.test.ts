import { describe, expect, test } from 'vitest';
import type { RetrievedCapability } from '../../src/retrieval/capability-index.js';
import type { Similarities } from '../../src/retrieval/capability-vectors.js';
import {
  coverageOf,
  FEATURE_NAMES,
  featureOf,
  featuresOf,
  fitOf,
  noFeatures,
  shapeOf,
  signalsOf,
} from '../../src/routing/features.js';
import { indexed, inMain } from '../support/candidates.js';

const inputSchema = {
  type: 'object',
  properties: { kpi_data: { type: 'array' }, week: { type: 'integer' }, note: {} },
  required: ['kpi_data'],
};
const main: Similarities = {
  summary: 0.4,
  centroid: 0.6,
  viewsCentroid: 0.65,
};
const english: Similarities = {
  summary: 0.1,
  centroid: 0.3,
  viewsCentroid: 0.35,
};

const candidate: RetrievedCapability = {
  indexed: indexed({ inputSchema }),
  similarities: inMain(main),
  nearestText: () => undefined,
  matches: { words: 0.5, fieldWords: 0.25, fields: 0.9, fieldsEvidence: 1.5 },
  declares: false,
};

const fitFor = ({ indexed: { fields } }: RetrievedCapability, payload: Record<string, unknown> | null) => {
  const shape = shapeOf(payload);
  return shape && fitOf(fields, shape);
};

/** The signals that are not 0. */
function signalsFor(
  retrieved: RetrievedCapability,
  payload: Record<string, unknown> | null = null,
  amongEnglish = false,
) {
  const signals = Object.entries(signalsOf(featuresOf(retrieved, fitFor(retrieved, payload), amongEnglish)));
  return Object.fromEntries(signals.filter(([, value]) => value !== 0));
}

test('every feature has a place of its own, and its name', () => {
  const features = Float64Array.from(FEATURE_NAMES, (_, place) => place);
  expect(Object.keys(signalsOf(features))).toEqual([...FEATURE_NAMES]);
  expect(FEATURE_NAMES.map((name) => featureOf(features, name))).toEqual([...features]);
  expect(noFeatures()).toEqual(new Float64Array(FEATURE_NAMES.length));
});

describe('meaning', () => {
  test('counts by the main model where no other knows the candidate', () => {
    expect(signalsFor(candidate)).toEqual({ views_centroid: 0.65, lexical: 0.5, lexical_fields: 0.25 });
  });

  test('counts by both beside each other where the English model knows it too', () => {
    expect(signalsFor({ ...candidate, similarities: { main, english } }, null, true)).toEqual({
      beside_centroid: 0.65,
      english_centroid: 0.3,
      english_views_centroid: 0.35,
      lexical: 0.5,
      lexical_fields: 0.25,
    });
  });

  test('of one that the English model does not know is marked where it knows others', () => {
    expect(signalsFor(candidate, null, true)).toEqual({
      views_centroid: 0.65,
      not_english: 1,
      lexical: 0.5,
      lexical_fields: 0.25,
    });
  });
});

describe('a payload', () => {
  const marksOf = (payload: Record<string, unknown>, retrieved = candidate) => {
    const { required_present, all_fit } = signalsOf(featuresOf(retrieved, fitFor(retrieved, payload), false));
    return [required_present, fitFor(retrieved, payload)?.valid, all_fit];
  };

  test('that fits gives full marks, names written otherwise included', () => {
    expect(marksOf({ kpiData: [], week: 3, NOTE: 'any type will do' })).toEqual([1, 1, 1]);
    expect(marksOf({ kpi_data: [] })).toEqual([1, 1, 1]);
  });

  test.each([
    ['an unknown field', { kpi_data: [], colour: 1 }, [1, 0.5, 0]],
    ['a missing one that is required', { week: 3 }, [0, 1, 0]],
    ['a wrong type', { kpi_data: [], week: 1.5 }, [1, 0.5, 0]],
  ])('with %s fits less, and not in all', (_, payload, expected) => {
    expect(marksOf(payload)).toEqual(expected);
  });

  test('is no evidence for a schema that requires nothing, but by the fields that it knows', () => {
    const lax = {
      ...candidate,
      indexed: indexed({ inputSchema: { type: 'object', properties: { a: {}, b: {} } } }),
    };
    expect(marksOf({ a: 1, x: 1 }, lax)[0]).toBe(0.5);
    expect(marksOf({ x: 1 }, lax)[0]).toBe(0);
  });

  test('neither fits nor fails to fit a schema that names no field', () => {
    expect(marksOf({ a: 1 }, { ...candidate, indexed: indexed() })).toEqual([0, 0, 0]);
  });

  test('brings what the index knows of its fields', () => {
    expect(signalsFor(candidate, { week: 3 })).toMatchObject({ fields_evidence: 1.5 });
  });

  test('that is not there, or empty, says nothing', () => {
    expect(signalsFor(candidate, null)).toEqual(signalsFor(candidate, {}));
    expect(signalsFor(candidate, null)).not.toHaveProperty('fields_evidence');
    expect(coverageOf(candidate, undefined)).toBeNull();
  });

  test('covers as much as it has in common with the schema', () => {
    const covered = (payload: Record<string, unknown>) => coverageOf(candidate, fitFor(candidate, payload));
    expect(covered({ kpi_data: [], week: 3 })).toBeCloseTo((0.9 + 1 + 1) / 3);
    expect(covered({ kpi_data: [], week: 'x' })).toBeCloseTo((0.9 + 1 + 0.5) / 3);
  });
});
