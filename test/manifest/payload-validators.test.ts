import { describe, expect, it } from 'vitest';
import type { PayloadValidators } from '../../src/manifest/payload-validators.js';
import { validatorsOf } from './manifests.js';

const ORDER = {
  type: 'object',
  required: ['customer', 'lines'],
  properties: {
    customer: { type: 'object', required: ['name', 'a/b~c'], properties: { name: { type: 'string' } } },
    lines: {
      type: 'array',
      items: { type: 'object', required: ['sku'], properties: { n: { type: 'integer' } } },
    },
    unit: { enum: ['kg', 'lb'] },
    due: { type: 'string', format: 'date' },
  },
};

describe('PayloadValidators', () => {
  it('tells what is missing, nested and in arrays, with escaped pointers', async () => {
    const validators = await validatorsOf(ORDER);
    expect(validators.check('a', {}).missing).toEqual(['/customer', '/lines']);
    expect(validators.check('a', { customer: {}, lines: [{ sku: 1 }, {}] }).missing).toEqual([
      '/customer/name',
      '/customer/a~1b~0c',
      '/lines/1/sku',
    ]);
  });

  it('takes what Ajv breaks down over for what does not fit', async () => {
    const validators = await validatorsOf({ properties: { f: { enum: [{ a: 1 }] } } });
    const broken = validators.check('a', { f: { toString: 'a' } });
    expect(broken.errors).toEqual([
      { pointer: '', expected: expect.stringContaining('held against the schema'), received: 'another' },
    ]);
    expect(validators.check('a', { f: { a: 1 } }).errors).toEqual([]);
  });

  it('knows a name only in the schema that gives it', async () => {
    const named = (type: string) => ({
      properties: {
        a: {
          $id: 'https://example.com/a',
          properties: { b: { $ref: '#/$defs/part' } },
          $defs: { part: { type } },
        },
      },
    });
    const [texts, numbers] = [await validatorsOf(named('string')), await validatorsOf(named('number'))];
    const accepts = (validators: PayloadValidators, b: unknown) =>
      validators.check('a', { a: { b } }).errors.length === 0;
    expect([accepts(texts, 1), accepts(texts, 'x')]).toEqual([false, true]);
    expect([accepts(numbers, 1), accepts(numbers, 'x')]).toEqual([true, false]);
  });

  it('tells every fault in words; missing fields are among them', async () => {
    const { errors } = (await validatorsOf(ORDER)).check('a', {
      customer: { name: 5, 'a/b~c': 1 },
      lines: [{ sku: 's', n: '3' }, {}],
      unit: 'stone',
      due: 'tomorrow',
    });
    expect(errors).toEqual([
      { pointer: '/customer/name', expected: 'a string', received: 'the number 5' },
      { pointer: '/lines/0/n', expected: 'a whole number', received: 'the string "3"' },
      { pointer: '/lines/1/sku', expected: 'a value, since this field is required', received: 'nothing' },
      { pointer: '/unit', expected: '"kg" or "lb"', received: 'the string "stone"' },
      { pointer: '/due', expected: 'text of the format date', received: 'the string "tomorrow"' },
    ]);
  });

  it('asks for the fields of the alternative that was meant', async () => {
    const validators = await validatorsOf({
      oneOf: [
        { properties: { kind: { const: 'mail' } }, required: ['kind', 'to', 'subject'] },
        { properties: { kind: { const: 'sms' }, phone: { type: 'string' } }, required: ['kind', 'phone'] },
      ],
    });
    expect(validators.check('a', { kind: 'sms' }).missing).toEqual(['/phone']);
    expect(validators.check('a', { kind: 'mail', to: 'x' }).missing).toEqual(['/subject']);
    expect(validators.check('a', { kind: 'fax' }).errors).toEqual([
      { pointer: '/kind', expected: '"mail" or "sms"', received: 'the string "fax"' },
    ]);
  });

  const requires = (...required: readonly string[]) => ({ required });
  const kind = (name: string, ...required: readonly string[]) => ({
    properties: { kind: { const: name } },
    required: ['kind', ...required],
  });
  const BASE = {
    $defs: { base: requires('id'), mail: kind('mail', 'to'), sms: kind('sms', 'phone', 'text') },
  };

  it.each([
    ['an optional object that is there', { properties: { a: requires('b') } }, { a: {} }, ['/a/b']],
    ['an optional object that is not there', { properties: { a: requires('b') } }, {}, []],
    [
      'an object that may be null',
      { properties: { a: { anyOf: [{ type: 'null' }, requires('b')] } } },
      { a: {} },
      ['/a/b'],
    ],
    [
      'items of an array',
      { properties: { a: { items: requires('b', 'c') } } },
      { a: [{ b: 1 }, {}] },
      ['/a/0/c', '/a/1/b', '/a/1/c'],
    ],
    ['a map', { additionalProperties: requires('b') }, { x: {}, 'y/z': {} }, ['/x/b', '/y~1z/b']],
    ['the first alternative of equals', { anyOf: [requires('a'), requires('b')] }, {}, ['/a']],
    [
      'the alternative that lacks the least',
      { anyOf: [requires('a', 'b'), requires('c', 'd')] },
      { c: 1 },
      ['/d'],
    ],
    [
      'an alternative beside a base',
      { ...BASE, allOf: [{ $ref: '#/$defs/base' }, { anyOf: [requires('a'), requires('b')] }] },
      {},
      ['/id', '/a'],
    ],
    [
      'a kind beside a base',
      {
        ...BASE,
        allOf: [{ $ref: '#/$defs/base' }, { oneOf: [{ $ref: '#/$defs/mail' }, { $ref: '#/$defs/sms' }] }],
      },
      { kind: 'sms' },
      ['/id', '/phone', '/text'],
    ],
    [
      'a kind made of a base and more',
      {
        ...BASE,
        oneOf: [{ $ref: '#/$defs/mail' }, { allOf: [{ $ref: '#/$defs/base' }], ...kind('fax', 'number') }],
      },
      { kind: 'fax' },
      ['/number', '/id'],
    ],
    [
      'a kind in each item',
      {
        ...BASE,
        properties: { a: { items: { oneOf: [{ $ref: '#/$defs/mail' }, { $ref: '#/$defs/sms' }] } } },
      },
      { a: [{ kind: 'mail' }, { kind: 'sms', text: '' }] },
      ['/a/0/to', '/a/1/phone'],
    ],
    [
      'alternatives of which a reference counts one',
      {
        properties: {
          a: { anyOf: [requires('b'), { type: 'null' }] },
          c: { $ref: '#/properties/a/anyOf/0' },
        },
      },
      { a: {}, c: {} },
      ['/c/b', '/a/b'],
    ],
    [
      'nothing where several alternatives fit and one may',
      { oneOf: [requires('c'), requires('a'), requires('b')] },
      { a: 1, b: 1 },
      [],
    ],
    ['nothing where no item does', { properties: { a: { contains: requires('b') } } }, { a: [{}, {}] }, []],
    [
      'what another field asks for',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { a: requires('c') } },
      { a: 1 },
      ['/b', '/c'],
    ],
    [
      'more than faults are told',
      requires(...Array.from({ length: 60 }, (_, i) => `f${i}`)),
      {},
      Array.from({ length: 60 }, (_, i) => `/f${i}`),
    ],
  ])('names exactly what is missing: %s', async (_, schema, payload, missing) => {
    const found = (await validatorsOf(schema)).check('a', payload).missing;
    expect([...found].sort()).toEqual([...missing].sort());
  });

  it('changes nothing in the payload: no types, no defaults, no fields', async () => {
    const validators = await validatorsOf({
      properties: { n: { type: 'number' }, d: { default: 1 } },
      additionalProperties: false,
    });
    const payload = Object.freeze({ n: '3', extra: Object.freeze([1]) });
    expect(
      validators
        .check('a', payload)
        .errors.map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(['/extra', '/n']);
    expect(payload).toEqual({ n: '3', extra: [1] });
  });

  it('takes names that all objects inherit for fields as any other', async () => {
    const validators = await validatorsOf({
      required: ['constructor', 'toString'],
      properties: { constructor: { type: 'string' }, valueOf: { type: 'number' } },
    });
    expect(validators.check('a', {}).missing).toEqual(['/constructor', '/toString']);
    expect(validators.check('a', { constructor: 'Ford', toString: 1 }).errors).toEqual([]);
  });

  it('knows draft-07 and recursive schemas', async () => {
    const validators = await validatorsOf({
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { node: { required: ['v'], properties: { next: { $ref: '#/definitions/node' } } } },
      items: [{ $ref: '#/definitions/node' }],
    });
    expect(validators.check('a', [{ v: 1, next: { v: 1, next: {} } }]).missing).toEqual(['/0/next/next/v']);
  });

  it('refuses an id that the manifest does not have', async () => {
    const validators = await validatorsOf(true);
    expect(() => validators.check('b', {})).toThrow(expect.objectContaining({ code: 'CAPABILITY_UNKNOWN' }));
    expect(validators.check('a', 'anything')).toEqual({ missing: [], errors: [] });
    expect((await validatorsOf(false)).check('a', {}).errors).toHaveLength(1);
  });

  it('tells only the first fault of a payload that would raise very many', async () => {
    const validators = await validatorsOf({
      items: { anyOf: Array.from({ length: 500 }, (_, index) => ({ const: index + 0.5 })) },
    });
    const { errors } = validators.check(
      'a',
      Array.from({ length: 100_000 }, (_, index) => index),
    );
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/0']);
  });

  it('ends on a schema whose work grows exponentially with the payload', async () => {
    const branch = (name: string) => ({ required: [name], properties: { x: { $ref: '#' } } });
    const validators = await validatorsOf({ type: 'object', allOf: [branch('a'), branch('b')] });
    const good = { a: 1, b: 1 };
    const deep = Array.from({ length: 60 }).reduce<object>((x) => ({ ...good, x }), good);
    expect(validators.check('a', deep).errors).toEqual([
      { pointer: '', expected: 'a value that can be checked with bounded work', received: 'more' },
    ]);
    expect(validators.check('a', { ...good, x: good }).errors).toEqual([]);
  });

  it('compares items with each other by value', async () => {
    const validators = await validatorsOf({ uniqueItems: true });
    expect(
      validators.check('a', [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]).errors,
    ).toHaveLength(1);
    expect(validators.check('a', [1, '1', true, null, 'null', [1], { a: 1 }, {}]).errors).toEqual([]);
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(validators.check('a', many).errors).toEqual([]);
  });
});
