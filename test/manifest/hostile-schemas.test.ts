import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { parseManifest, restoreManifest } from '../../src/manifest/parse-manifest.js';

const documentWith = (input_schema: object, name = 'input_schema') => ({
  agent_name: 'hostile',
  manifest_version: 1,
  capabilities: [{ id: 'x', name: 'x', [name]: input_schema }],
});

async function pointersOf(document: object): Promise<string[]> {
  try {
    await parseManifest(document);
  } catch (error) {
    if (error instanceof ReachError && error.code === 'MANIFEST_INVALID') {
      return error.errors.map(({ pointer }) => pointer);
    }
    throw error;
  }
  return [];
}

describe('a schema that would answer later is refused, wherever it says so', () => {
  test.each([
    [{ $async: true, required: ['q'] }, '/$async'],
    [{ properties: { a: { $async: true, type: 'string' } } }, '/properties/a/$async'],
    [{ unknown: [{ $async: true }] }, '/unknown/0/$async'],
  ])('%j', async (schema, pointer) => {
    expect(await pointersOf(documentWith(schema))).toContain(`/capabilities/0/input_schema${pointer}`);
    expect(await pointersOf(documentWith(schema, 'output_schema'))).toContain(
      `/capabilities/0/output_schema${pointer}`,
    );
  });
});

describe('a slow pattern is found wherever a reference could lead', () => {
  const slow = '^(a+)+$';
  const draft07 = 'http://json-schema.org/draft-07/schema#';
  test.each([
    [
      'an array under a keyword of names',
      { $schema: draft07, $defs: [{ pattern: slow }], properties: { a: { $ref: '#/$defs/0' } } },
    ],
    [
      'the same under dependentSchemas',
      {
        $schema: draft07,
        dependentSchemas: [{ pattern: slow }],
        properties: { a: { $ref: '#/dependentSchemas/0' } },
      },
    ],
    [
      'an anchor among examples',
      { foo: { examples: { $anchor: 'x', pattern: slow } }, properties: { a: { $ref: '#x' } } },
    ],
    ['names of properties', { $defs: [{ patternProperties: { [slow]: true } }] }],
  ])('%s', async (_, schema) => {
    expect(await pointersOf(documentWith(schema))).not.toEqual([]);
  });
});

test('a reference to nothing is refused', async () => {
  const schema = { properties: { a: { $ref: '#/$defs/nothing' } } };
  expect(await pointersOf(documentWith(schema))).toContain('/capabilities/0/input_schema/properties/a/$ref');
});

test('a payload whose check would take long is refused without checking it', () => {
  const branches = Array.from({ length: 490 }, (_, i) => ({
    properties: { [`k${i}`]: {} },
    required: [`k${i}`],
  }));
  const schema = { type: 'object', properties: { rows: { type: 'array', items: { anyOf: branches } } } };
  const { validators } = restoreManifest(documentWith(schema));
  const rows = (count: number) => ({ rows: Array.from({ length: count }, () => ({ k489: 'x' })) });
  const startedAt = performance.now();
  expect(validators.check('x', rows(70_000)).errors).toMatchObject([
    { pointer: '', expected: expect.stringContaining('bounded work') },
  ]);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(validators.check('x', rows(10)).errors).toEqual([]);
});

test('an ordinary payload of many rows is checked', () => {
  const row = {
    type: 'object',
    properties: { region: { enum: ['east', 'west', 'north', 'south'] }, sales: { type: 'number' } },
  };
  const { validators } = restoreManifest(
    documentWith({ type: 'object', properties: { rows: { type: 'array', items: row } } }),
  );
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ region: 'east', sales: i }));
  expect(validators.check('x', { rows }).errors).toEqual([]);
  expect(validators.check('x', { rows: [...rows, { region: 'up' }] }).errors).toMatchObject([
    { pointer: '/rows/20000/region' },
  ]);
});

test('a manifest of too many values is refused, however small each is', async () => {
  const metadata = { list: Array.from({ length: 500_000 }, () => 0) };
  expect(await pointersOf({ ...documentWith({}), metadata })).toEqual(['']);
});
