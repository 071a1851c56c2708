import { expect, test } from 'vitest';
import { CapabilityIndex } from '../../src/retrieval/capability-index.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { direction, indexed, vectorsAt } from '../support/candidates.js';

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
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  for (let i = 0; i < 40; i += 1) index.add(indexed({ agent: `near-${i}` }), vectorsAt(i / 10));
  index.add(indexed({ agent: 'words', id: 'zebra crossing' }), vectorsAt(180));
  const inputSchema = { type: 'object', properties: { order_id: { type: 'string' } } };
  index.add(indexed({ agent: 'fields', inputSchema }), vectorsAt(180));
  const keys = keysOf(index, 'zebra', 0, ['orderId']);
  expect(keys).toContain('near-0/weekly');
  expect(keys).toContain('words/zebra crossing');
  expect(keys).toContain('fields/weekly');
  expect(keys.length).toBeLessThanOrEqual(64);
});

test('whoever declares the very intent is a candidate, however many are nearer', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  for (let i = 0; i < 300; i += 1) index.add(indexed({ agent: `near-${i}` }), vectorsAt(i / 100));
  index.add(indexed({ agent: 'declares', id: 'other', examples: ['weekly near thing'] }), vectorsAt(180));
  expect(keysOf(index, 'Weekly near thing', 0)).toContain('declares/other');
  const refused = index.find({
    ...query('weekly near thing', 0),
    accepts: ({ key }) => key !== 'declares/other',
  });
  expect(refused.map(({ indexed: { key } }) => key)).not.toContain('declares/other');
});

test('a hundred examples push nobody out', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  const examples = Array.from({ length: 100 }, (_, i) => `example ${i}`);
  index.add(indexed({ agent: 'loud', examples }), vectorsAt(1));
  index.add(indexed({ agent: 'quiet' }), vectorsAt(2));
  expect(keysOf(index, 'x', 0)).toEqual(['loud/weekly', 'quiet/weekly']);
});

test('a removed capability is found in no way', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  const inputSchema = { type: 'object', properties: { order_id: {} } };
  index.add(indexed({ examples: ['where is it'], inputSchema }), vectorsAt(0));
  index.remove('reports/weekly');
  expect(keysOf(index, 'weekly where is it', 0, ['order_id'])).toEqual([]);
  expect(index.get('reports/weekly')).toBeUndefined();
});

test('an intent that is a declared example is known in any case, width and spacing', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  index.add(indexed({ examples: ['Turn this CSV into JSON'] }), vectorsAt(0));
  const declares = (intent: string) => index.find(query(intent, 0)).map((found) => found.declares);
  expect(declares(' turn  this ＣＳＶ into json')).toEqual([true]);
  expect(declares('turn this csv into xml')).toEqual([false]);
});

test('clues from before a change are not used', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  index.add(indexed({ agent: 'old', id: 'zebra' }), vectorsAt(0));
  const clues = index.clues({ intent: 'zebra', fields: [] });
  index.remove('old/zebra');
  index.add(indexed({ agent: 'new', id: 'zebra' }), vectorsAt(0));
  const [found] = index.find({ ...query('zebra', 0), clues });
  expect(found?.indexed.key).toBe('new/zebra');
  expect(found?.lexical).toBeGreaterThan(0);
});

test('knows the cosines of the intent to each text, and of two descriptions to each other', () => {
  const index = new CapabilityIndex(new ExactVectorIndex(4), 4);
  const [a, b] = [indexed({ agent: 'a' }), indexed({ agent: 'b' })];
  index.add(a, { ...vectorsAt(60), name: direction(90), examples: [direction(45), direction(30)] });
  index.add(b, vectorsAt(0));
  const found = index.find(query('x', 0)).find(({ indexed: { key } }) => key === a.key);
  expect(found?.similarities.description).toBeCloseTo(0.5);
  expect(found?.similarities.name).toBeCloseTo(0);
  expect(found?.similarities.example).toBeCloseTo(Math.cos(Math.PI / 6));
  expect(index.likeness(a, b)).toBeCloseTo(0.5);
  index.remove(b.key);
  expect(index.likeness(a, b)).toBe(-1);
});
