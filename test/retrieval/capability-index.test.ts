import { expect, test } from 'vitest';
import { CapabilityIndex } from '../../src/retrieval/capability-index.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { direction, indexed } from '../support/candidates.js';

const query = (intent: string, degrees: number, fields: readonly string[] = []) => ({
  intent,
  vector: direction(degrees),
  fields,
  accepts: () => true,
});

function keysOf(index: CapabilityIndex, ...args: Parameters<typeof query>): string[] {
  return index.find(query(...args)).map(({ indexed: { key } }) => key);
}

test('joins what is near in meaning, what shares words and what knows the payload fields', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4));
  for (let i = 0; i < 40; i += 1) index.add(indexed({ agent: `near-${i}`, degrees: i / 10 }));
  index.add(indexed({ agent: 'words', id: 'zebra crossing', degrees: 180 }));
  const inputSchema = { type: 'object', properties: { order_id: { type: 'string' } } };
  index.add(indexed({ agent: 'fields', degrees: 180, inputSchema }));
  const keys = keysOf(index, 'zebra', 0, ['orderId']);
  expect(keys).toContain('near-0/weekly');
  expect(keys).toContain('words/zebra crossing');
  expect(keys).toContain('fields/weekly');
  expect(keys.length).toBeLessThanOrEqual(64);
});

test('whoever declares the very intent is a candidate, however many are nearer', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4));
  for (let i = 0; i < 300; i += 1) index.add(indexed({ agent: `near-${i}`, degrees: i / 100 }));
  index.add(indexed({ agent: 'declares', id: 'other', degrees: 180, examples: ['weekly near thing'] }));
  expect(keysOf(index, 'Weekly near thing', 0)).toContain('declares/other');
  const refused = index.find({
    ...query('weekly near thing', 0),
    accepts: ({ key }) => key !== 'declares/other',
  });
  expect(refused.map(({ indexed: { key } }) => key)).not.toContain('declares/other');
});

test('a hundred examples push nobody out', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4));
  const examples = Array.from({ length: 100 }, (_, i) => `example ${i}`);
  index.add(indexed({ agent: 'loud', degrees: 1, examples }));
  index.add(indexed({ agent: 'quiet', degrees: 2 }));
  expect(keysOf(index, 'x', 0)).toEqual(['loud/weekly', 'quiet/weekly']);
});

test('a removed capability is found in no way', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4));
  const inputSchema = { type: 'object', properties: { order_id: {} } };
  index.add(indexed({ examples: ['where is it'], inputSchema }));
  index.remove('reports/weekly');
  expect(keysOf(index, 'weekly where is it', 0, ['order_id'])).toEqual([]);
  expect(index.declaring('where is it')).toEqual([]);
  expect(index.get('reports/weekly')).toBeUndefined();
});

test('an intent that is a declared example is known in any case, width and spacing', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4));
  index.add(indexed({ examples: ['Turn this CSV into JSON'] }));
  expect(index.declaring(' turn  this ＣＳＶ into json').map(({ key }) => key)).toEqual(['reports/weekly']);
  expect(index.declaring('turn this csv into xml')).toEqual([]);
});
