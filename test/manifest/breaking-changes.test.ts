import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakingChanges } from '../../src/manifest/breaking-changes.js';
import { restoreManifest } from '../../src/manifest/parse-manifest.js';
import { MANIFEST_LIMITS } from '../../src/manifest/schema.js';
import { manifestWith } from './manifests.js';

type Schema = boolean | Record<string, unknown>;
const of = (capabilities: readonly object[]) =>
  restoreManifest(manifestWith({ capabilities }) as never).manifest;
const withSchema = (direction: string, schema: Schema) =>
  of([{ id: 'a', name: 'A', [`${direction}_schema`]: schema }]);

/** The breaks between two schemas, `kind pointer` each. */
async function breaks(direction: 'input' | 'output', before: Schema, after: Schema): Promise<string[]> {
  const found = await breakingChanges(withSchema(direction, before), withSchema(direction, after));
  for (const each of found) expect(each.capabilityId).toBe('a');
  return found.map(({ kind, pointer }) => `${kind} ${pointer}`);
}

const fields = (properties: Record<string, unknown>, rest: object = {}) => ({
  type: 'object',
  properties,
  ...rest,
});
const text = { type: 'string' };
const number = { type: 'number' };
const defs = (day: unknown, rest: object = {}) => ({
  ...fields({ day: { $ref: '#/$defs/Day' } }, rest),
  $defs: { Day: day },
});
const anchored = (day: object) => ({
  ...fields({ day: { $ref: '#day' } }),
  $defs: { 'a/day': { $anchor: 'day', ...day } },
});
/** Not written out, since an object with a `then` looks like a promise to linters. */
const named = <T>(keyword: string, value: T) => ({ [keyword]: value });
const conditional = (then: object) => ({ if: {}, ...named('then', then) });
const tree = (value: object) => ({ ...fields({ value, children: { items: { $ref: '#' } } }) });

const SAME: readonly string[] = [];

test.each<[string, Schema, Schema, readonly string[], readonly string[]]>([
  ['nothing said before or after', true, true, SAME, SAME],
  ['a field added', fields({}), fields({ a: text }), SAME, SAME],
  [
    'a field removed',
    fields({ a: text, b: text }),
    fields({ b: text }),
    ['removed /input_schema/properties/a'],
    ['removed /output_schema/properties/a'],
  ],
  [
    'a field forbidden',
    fields({ a: text }),
    fields({ a: false }),
    ['removed /input_schema/properties/a'],
    ['removed /output_schema/properties/a'],
  ],
  [
    'the whole schema left out',
    { properties: { a: text } },
    true,
    ['removed /input_schema/properties/a'],
    ['removed /output_schema/properties/a'],
  ],
  [
    'a field that other fields stand for',
    fields({ a: text }),
    fields({}, { additionalProperties: text }),
    SAME,
    SAME,
  ],
  [
    'a field renamed in case only',
    fields({ Day: text }),
    fields({ day: text }),
    ['removed /input_schema/properties/Day'],
    ['removed /output_schema/properties/Day'],
  ],
  [
    'names that a pointer must escape',
    fields({ 'a/b~c "周"': text }),
    fields({}),
    ['removed /input_schema/properties/a~1b~0c "周"'],
    ['removed /output_schema/properties/a~1b~0c "周"'],
  ],
  [
    'a name of every object',
    fields({ constructor: text }),
    fields({}),
    ['removed /input_schema/properties/constructor'],
    ['removed /output_schema/properties/constructor'],
  ],
  [
    'another type',
    fields({ a: text }),
    fields({ a: number }),
    ['retyped /input_schema/properties/a'],
    ['retyped /output_schema/properties/a'],
  ],
  [
    'a wider type',
    fields({ a: { type: 'integer' } }),
    fields({ a: number }),
    SAME,
    ['retyped /output_schema/properties/a'],
  ],
  [
    'a narrower type',
    fields({ a: { type: ['string', 'null'] } }),
    fields({ a: text }),
    ['retyped /input_schema/properties/a'],
    SAME,
  ],
  [
    'a type where there was none',
    fields({ a: {} }),
    fields({ a: text }),
    ['retyped /input_schema/properties/a'],
    SAME,
  ],
  [
    'no type where there was one',
    fields({ a: text }),
    fields({ a: true }),
    SAME,
    ['retyped /output_schema/properties/a'],
  ],
  [
    'another type of the whole',
    fields({ a: text }),
    { type: 'array', items: text },
    ['retyped /input_schema'],
    ['retyped /output_schema'],
  ],
  ['types in another order', { type: ['string', 'null'] }, { type: ['null', 'string'] }, SAME, SAME],
  ['a type said by an anyOf', { anyOf: [text, { type: 'null' }] }, { type: ['string', 'null'] }, SAME, SAME],
  ['an alternative less', { oneOf: [text, number] }, text, ['retyped /input_schema'], SAME],
  [
    'a field required that was known',
    fields({ a: text }),
    fields({ a: text }, { required: ['a'] }),
    ['newly_required /input_schema/properties/a'],
    SAME,
  ],
  [
    'a new field required',
    fields({}),
    fields({ a: text }, { required: ['a'] }),
    ['newly_required /input_schema/properties/a'],
    SAME,
  ],
  ['a field required that is only named', true, { required: ['a'] }, ['newly_required /input_schema'], SAME],
  [
    'a field no longer required',
    fields({ a: text }, { required: ['a'] }),
    fields({ a: text }),
    SAME,
    ['no_longer_required /output_schema/properties/a'],
  ],
  [
    'a required field removed',
    fields({ a: text }, { required: ['a'] }),
    fields({}),
    ['removed /input_schema/properties/a'],
    ['removed /output_schema/properties/a'],
  ],
  [
    'a new optional object with required fields',
    fields({}),
    fields({ o: fields({ a: text }, { required: ['a'] }) }),
    SAME,
    SAME,
  ],
  [
    'a value less',
    fields({ a: { enum: ['x', 'y', 1] } }),
    fields({ a: { enum: ['x', 1] } }),
    ['enum_narrowed /input_schema/properties/a'],
    SAME,
  ],
  [
    'a value more',
    fields({ a: { enum: ['x'] } }),
    fields({ a: { enum: ['y', 'x'] } }),
    SAME,
    ['enum_widened /output_schema/properties/a'],
  ],
  [
    'values named that were not',
    fields({ a: text }),
    fields({ a: { enum: ['x'] } }),
    ['enum_narrowed /input_schema/properties/a'],
    SAME,
  ],
  [
    'values no longer named',
    fields({ a: { const: 'x' } }),
    fields({ a: text }),
    SAME,
    ['enum_widened /output_schema/properties/a'],
  ],
  ['an enum as constants', { enum: ['x', 'y'] }, { anyOf: [{ const: 'y' }, { const: 'x' }] }, SAME, SAME],
  [
    'an enum with its keys in another order',
    { enum: [{ a: 1, b: 2 }] },
    { enum: [{ b: 2, a: 1 }] },
    SAME,
    SAME,
  ],
  [
    'a change in an object in an object',
    fields({ o: fields({ p: fields({ a: text }) }) }),
    fields({ o: fields({ p: fields({ a: number }) }) }),
    ['retyped /input_schema/properties/o/properties/p/properties/a'],
    ['retyped /output_schema/properties/o/properties/p/properties/a'],
  ],
  [
    'a change in the items of an array',
    fields({ rows: { type: 'array', items: fields({ a: text }) } }),
    fields({ rows: { type: 'array', items: fields({}) } }),
    ['removed /input_schema/properties/rows/items/properties/a'],
    ['removed /output_schema/properties/rows/items/properties/a'],
  ],
  [
    'a change in a tuple',
    { prefixItems: [text, text] },
    { prefixItems: [text, number] },
    ['retyped /input_schema/prefixItems/1'],
    ['retyped /output_schema/prefixItems/1'],
  ],
  [
    'a change in the values of a map',
    { additionalProperties: { enum: [1, 2] } },
    { additionalProperties: { enum: [1] } },
    ['enum_narrowed /input_schema/additionalProperties'],
    SAME,
  ],
  [
    'a change behind a reference',
    defs(fields({ of: text })),
    defs(fields({ of: number }, { required: ['of'] })),
    ['newly_required /input_schema/$defs/Day/properties/of', 'retyped /input_schema/$defs/Day/properties/of'],
    ['retyped /output_schema/$defs/Day/properties/of'],
  ],
  [
    'a change behind an anchor',
    anchored(fields({ of: text })),
    anchored(fields({})),
    ['removed /input_schema/$defs/a~1day/properties/of'],
    ['removed /output_schema/$defs/a~1day/properties/of'],
  ],
  ['the same without the reference', defs(text), fields({ day: text }), SAME, SAME],
  [
    'the same in parts',
    fields({ a: text }, { required: ['a'] }),
    { allOf: [{ properties: { a: text } }, { required: ['a'] }, { type: 'object' }] },
    SAME,
    SAME,
  ],
  [
    'a change in a schema that refers to itself, told once',
    tree(text),
    tree(number),
    ['retyped /input_schema/properties/value'],
    ['retyped /output_schema/properties/value'],
  ],
  [
    'keywords that are not compared',
    { type: 'string', maxLength: 9 },
    { type: 'string', maxLength: 1, pattern: '^a$' },
    SAME,
    SAME,
  ],
  [
    'required in one alternative only, then in all',
    { ...fields({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { ...fields({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['a', 'b'] }] },
    ['newly_required /input_schema/properties/a'],
    SAME,
  ],
  [
    'a field known only under a condition',
    conditional(fields({ a: text })),
    fields({ a: text }),
    ['retyped /input_schema'],
    SAME,
  ],
])('%s', async (_, before, after, ofInput, ofOutput) => {
  expect(await breaks('input', before, after)).toEqual(ofInput);
  expect(await breaks('output', before, after)).toEqual(ofOutput);
});

describe('of a manifest', () => {
  const summary = { id: 'summary', name: 'Summary', input_schema: fields({ week: text }) };

  test('a capability that is gone, and what it says in words', async () => {
    const before = of([summary, { id: '周报', name: 'Report', output_schema: fields({ n: number }) }]);
    const after = of([
      { ...summary, input_schema: fields({ week: { type: 'integer' }, day: {} }, { required: ['day'] }) },
    ]);
    expect(await breakingChanges(before, after)).toEqual([
      {
        capabilityId: 'summary',
        kind: 'newly_required',
        pointer: '/input_schema/properties/day',
        sentence: 'The input field "day" must be sent now.',
      },
      {
        capabilityId: 'summary',
        kind: 'retyped',
        pointer: '/input_schema/properties/week',
        sentence: 'The input field "week" was string and is integer.',
      },
      {
        capabilityId: '周报',
        kind: 'capability_removed',
        pointer: '',
        sentence: 'The capability "周报" is gone.',
      },
    ]);
    expect(await breakingChanges(after, after)).toEqual([]);
    expect(await breakingChanges(of([summary]), before)).toEqual([]);
  });

  test('at most 50 changes are listed', async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ id: `c${index}`, name: 'C' }));
    expect(await breakingChanges(of(many), of([summary]))).toHaveLength(50);
    const wide = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`f${index}`, text]));
    expect(
      await breakingChanges(withSchema('input', fields(wide)), withSchema('input', fields({}))),
    ).toHaveLength(50);
  });
});

describe('hostile schemas', () => {
  const multiplying = (leaf: object, keyword: string) => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const $ref = `#/$defs/d${index + 1}`;
        return [`d${index}`, { [keyword]: [{ $ref }, { $ref }] }];
      }),
    );
    return fields({ a: { $ref: '#/$defs/d0' } }, { $defs: { ...$defs, d60: leaf } });
  };
  /** A field in a field, each described in several places that refer to the next. */
  const entangled = (leaf: object) => ({
    $defs: Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const n = { allOf: [1, 2, 3].map((step) => ({ $ref: `#/$defs/d${(index * step + step) % 60}` })) };
        return [`d${index}`, { allOf: [{ properties: { n } }, { properties: { n: { $ref: '#' } } }, leaf] }];
      }),
    ),
    $ref: '#/$defs/d0',
  });
  const chain = (leaf: object) => ({
    $ref: '#/$defs/d0',
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: 199 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
      ),
      d199: leaf,
    },
  });

  test.each<[string, (leaf: object) => Schema]>([
    ['that multiplies its references', (leaf) => multiplying(leaf, 'allOf')],
    ['that multiplies its alternatives', (leaf) => multiplying(leaf, 'anyOf')],
    ['whose fields are entangled', entangled],
    ['that is a long chain', chain],
    ['that refers to itself', (leaf) => ({ anyOf: [{ $ref: '#' }, leaf] })],
  ])('one %s is compared with bounded work', async (_, hostile) => {
    const capabilities = (leaf: object) =>
      of(Array.from({ length: 20 }, (_, i) => ({ id: `c${i}`, name: 'C', input_schema: hostile(leaf) })));
    const found = await breakingChanges(capabilities(text), capabilities(number));
    expect(found.length).toBeLessThanOrEqual(50);
    expect(await breakingChanges(capabilities(text), capabilities({ ...text }))).toEqual([]);
  });
});

test('a schema compared with itself, written in another order or with more to say, breaks nothing', async () => {
  const { schema } = fc.letrec<{ schema: unknown; schemas: unknown; named: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom<unknown>('string', 'number', 'integer', 'object', 'array', [
            'string',
            'null',
          ]),
          enum: fc.uniqueArray(fc.oneof(fc.string({ maxLength: 2 }), fc.integer(), fc.constant(null)), {
            minLength: 1,
          }),
          const: fc.jsonValue({ maxDepth: 1 }),
          properties: tie('named'),
          additionalProperties: tie('schema'),
          patternProperties: tie('named'),
          required: fc.uniqueArray(fc.constantFrom('a', 'b', 'constructor')),
          items: tie('schema'),
          prefixItems: tie('schemas'),
          allOf: tie('schemas'),
          anyOf: tie('schemas'),
          oneOf: tie('schemas'),
          if: tie('schema'),
          ...named('then', tie('schema')),
          else: tie('schema'),
          $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', '#nowhere', 'http://x/y'),
          $defs: tie('named'),
        },
        { requiredKeys: [] },
      ),
    ),
    schemas: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    named: fc.dictionary(fc.constantFrom('a', 'b', 'constructor', '__proto__'), tie('schema'), {
      maxKeys: 3,
    }),
  }));
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, reordered(item)]),
    );
  };
  await fc.assert(
    fc.asyncProperty(schema, async (given) => {
      const before = given as Schema;
      for (const direction of ['input', 'output'] as const) {
        const after = reordered(structuredClone(before)) as Schema;
        expect(await breaks(direction, before, after)).toEqual([]);
        if (typeof after === 'object') {
          // A new note keeps it from being the same at a glance.
          expect(await breaks(direction, before, { ...after, 'x-note': 1 })).toEqual([]);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the largest manifest is compared while others have their turn', async () => {
  const capabilities = (type: string) =>
    Array.from({ length: MANIFEST_LIMITS.capabilities }, (_, index) => ({
      id: `c${index}`,
      name: 'C',
      input_schema: fields(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, { type }]))),
      output_schema: fields({ rows: { type: 'array', items: fields({ a: { type } }) } }, { title: type }),
    }));
  const before = of(capabilities('string'));
  const after = of(
    capabilities('string').map((each) => ({ ...each, input_schema: { ...each.input_schema, title: 't' } })),
  );
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await breakingChanges(before, after)).toEqual([]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});
