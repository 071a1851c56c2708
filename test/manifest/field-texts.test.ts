import { expect, test } from 'vitest';
import { fieldTextsOf } from '../../src/manifest/field-texts.js';
import type { JsonSchema } from '../../src/manifest/schema.js';

const said = (schema: JsonSchema) =>
  fieldTextsOf(schema).map(({ name, description }) =>
    description === '' ? name : `${name}: ${description}`,
  );

test('a schema that names no field says nothing', () => {
  expect(said(true)).toEqual([]);
  expect(said({ type: 'string', description: 'x' })).toEqual([]);
});

test('fields of objects and of lists come after the field that they are in', () => {
  const schema = {
    properties: {
      car: { description: 'the car', properties: { plate: { description: 'its number' } } },
      stops: {
        items: { properties: { city: {} } },
        prefixItems: [{ properties: { start: {} } }],
      },
      day: { description: 'when' },
    },
  };
  expect(said(schema)).toEqual(['car: the car', 'plate: its number', 'stops', 'city', 'start', 'day: when']);
});

test('references are followed, for fields and for what is said of them', () => {
  const schema = {
    $defs: {
      place: { description: 'a place', properties: { city: { description: 'its city' } } },
      both: { properties: { note: { description: 'a note' } } },
    },
    allOf: [{ $ref: '#/$defs/both' }],
    properties: { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place', description: 'the end' } },
  };
  expect(said(schema)).toEqual([
    'from: a place',
    'city: its city',
    'to: the end',
    'city: its city',
    'note: a note',
  ]);
});

test('the first that says something of a field is heard', () => {
  const schema = {
    properties: { day: {} },
    anyOf: [{ properties: { day: { description: '' } } }, { properties: { day: { description: 'when' } } }],
  };
  expect(said(schema)).toEqual(['day: when']);
});

test('a schema that holds itself ends', () => {
  const schema = { properties: { name: {}, children: { items: { $ref: '#' } } } };
  const names = said(schema);
  expect(names.slice(0, 4)).toEqual(['name', 'children', 'name', 'children']);
  expect(names).toHaveLength(8);
});

test('at most 200 fields are read, and none that lies deeper than three objects', () => {
  const names = Array.from({ length: 300 }, (_, i) => `f${i}`);
  const wide = { properties: Object.fromEntries(names.map((name) => [name, {}])) };
  expect(said(wide)).toEqual(names.slice(0, 200));
  const deep = {
    properties: {
      a: { properties: { b: { properties: { c: { properties: { d: { properties: { e: {} } } } } } } } },
    },
  };
  expect(said(deep)).toEqual(['a', 'b', 'c', 'd']);
});
