import { describe, expect, it } from 'vitest';
import { fieldsOf, requiredPointers } from '../../src/manifest/payload-fields.js';

describe('fieldsOf', () => {
  it('knows the top-level fields with their types', () => {
    const schema = {
      type: 'object',
      required: ['rows', 'title'],
      properties: {
        rows: { $ref: '#/$defs/rows' },
        unit: { enum: ['kg', 1, null], description: 'Unit of the rows' },
        due: { type: ['string', 'null'], format: 'date' },
        any: true,
        inner: { properties: { hidden: {} } },
      },
      $defs: { rows: { type: 'array', description: 'The rows' } },
    };
    expect(fieldsOf(schema)).toEqual([
      { name: 'rows', types: ['array'], required: true },
      { name: 'title', types: [], required: true },
      { name: 'unit', types: ['string', 'integer', 'null'], required: false },
      { name: 'due', types: ['string', 'null'], required: false },
      { name: 'any', types: [], required: false },
      { name: 'inner', types: [], required: false },
    ]);
  });

  it('looks through references, allOf, alternatives and conditions', () => {
    const schema = {
      $ref: '#/definitions/base',
      definitions: { base: { required: ['id'], properties: { id: { type: 'string' } } } },
      allOf: [{ properties: { a: { type: 'number' } }, required: ['a'] }],
      oneOf: [
        { required: ['k', 'x'], properties: { k: { const: 'x' }, x: { type: 'string' } } },
        { required: ['k'], properties: { k: { const: 2 } } },
      ],
      // Spelled so because the linter takes an object with `then` for a promise.
      ...Object.fromEntries([
        ['if', {}],
        ['then', { required: ['t'] }],
      ]),
    };
    const fields = fieldsOf(schema).map(({ name, types, required }) => [name, types, required]);
    expect(fields.sort()).toEqual([
      ['a', ['number'], true],
      ['id', ['string'], true],
      ['k', ['string', 'integer'], true],
      ['t', [], false],
      ['x', ['string'], false],
    ]);
  });

  it('knows nothing of a boolean schema, and ends on every web of references', () => {
    expect(fieldsOf(true)).toEqual([]);
    expect(fieldsOf(false)).toEqual([]);
    const web = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const others = Array.from({ length: 40 }, (_, other) => ({ $ref: `#/$defs/d${other}` }));
        return [`d${index}`, { allOf: others, anyOf: others, properties: { p: { anyOf: others } } }];
      }),
    );
    expect(fieldsOf({ $ref: '#/$defs/d0', $defs: web }).map(({ name }) => name)).toEqual(['p']);
  });
});

describe('requiredPointers', () => {
  it('names required fields, also those inside required objects', () => {
    const schema = {
      required: ['customer', 'a/b'],
      properties: {
        customer: { allOf: [{ $ref: '#/$defs/person' }] },
        optional: { required: ['not this'] },
        'a/b': { items: { required: ['nor this'] } },
      },
      $defs: {
        person: { required: ['na~me', 'address'], properties: { address: { required: ['street'] } } },
      },
    };
    expect(requiredPointers(schema)).toEqual([
      '/customer',
      '/customer/na~0me',
      '/customer/address',
      '/customer/address/street',
      '/a~1b',
    ]);
  });

  it('names of alternatives only what all of them require', () => {
    expect(requiredPointers({ anyOf: [{ required: ['a', 'b'] }, { required: ['b', 'c'] }] })).toEqual(['/b']);
  });

  it('ends on a schema that requires itself', () => {
    const node = { required: ['left', 'right'], properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
    expect(requiredPointers(node)).toHaveLength(200);
  });
});
