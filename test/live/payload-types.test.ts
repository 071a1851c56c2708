import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldTypesOf, payloadOf } from '../../src/live/payload-types.js';
import { shapeOf } from '../../src/routing/features.js';
import { validatorsOf } from '../manifest/manifests.js';

const payloads = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 30 });

test('a payload made up of names and types has them, and the shape that routing reads, of any payload', () => {
  fc.assert(
    fc.property(payloads, (payload) => {
      const madeUp = payloadOf(fieldTypesOf(payload));
      expect(fieldTypesOf(madeUp)).toEqual(fieldTypesOf(payload));
      expect(shapeOf(madeUp)).toEqual(shapeOf(payload));
    }),
  );
});

test('it lacks the fields that the real one lacked, but for what its objects hold', async () => {
  const validators = await validatorsOf({
    type: 'object',
    required: ['week', 'rows', 'by'],
    properties: {
      week: { type: 'integer', minimum: 1 },
      rows: { type: 'array', items: { required: ['sku'] } },
      by: { type: 'object', required: ['name'] },
    },
  });
  const missing = (payload: Record<string, unknown>) => [
    validators.check('a', payload).missing,
    validators.check('a', payloadOf(fieldTypesOf(payload))).missing,
  ];
  expect(missing({ week: 23 })).toEqual([
    ['/rows', '/by'],
    ['/rows', '/by'],
  ]);
  expect(missing({ rows: [{ sku: 1 }], by: {} })).toEqual([
    ['/week', '/by/name'],
    ['/week', '/by/name'],
  ]);
  expect(missing({ week: 2.5, rows: [], by: { name: 'Li' } })).toEqual([[], ['/by/name']]);
});

test('of a payload with more fields than anybody reads the first 200 are told', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, index]));
  expect(Object.keys(fieldTypesOf(many))).toHaveLength(200);
});
