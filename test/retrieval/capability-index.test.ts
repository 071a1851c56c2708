import { expect, test } from 'vitest';
import type { BySpace } from '../../src/embedding/embedding-space.js';
import { CapabilityIndex, prepareCapability } from '../../src/retrieval/capability-index.js';
import { textsOf } from '../../src/retrieval/capability-texts.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import type { IndexedCapability } from '../../src/retrieval/indexed-capability.js';
import { SpaceIndex } from '../../src/retrieval/space-index.js';
import { direction, indexed, inMain, vectorsAt } from '../support/candidates.js';

const emptySpace = () => new SpaceIndex(new ExactVectorIndex(4), 4);
const prepared = (own: IndexedCapability, vectors: Parameters<typeof prepareCapability>[2]) =>
  prepareCapability(own, textsOf(own.capability), vectors);
const emptyIndex = () => new CapabilityIndex(inMain(emptySpace()));

const query = (intent: string, degrees: number, fields: readonly string[] = []) => ({
  intent,
  vectors: inMain(direction(degrees)),
  fields,
  accepts: () => true,
});

function keysOf(index: CapabilityIndex, ...args: Parameters<typeof query>): string[] {
  return index.find(query(...args)).map(({ indexed: { key } }) => key);
}

test('joins what is near in meaning, what shares words and what knows the payload fields', () => {
  const index = emptyIndex();
  for (let i = 0; i < 40; i += 1) index.add(prepared(indexed({ agent: `near-${i}` }), vectorsAt(i / 10)));
  index.add(prepared(indexed({ agent: 'words', id: 'zebra crossing' }), vectorsAt(180)));
  const inputSchema = { type: 'object', properties: { order_id: { type: 'string' } } };
  index.add(prepared(indexed({ agent: 'fields', inputSchema }), vectorsAt(180)));
  const keys = keysOf(index, 'zebra', 0, ['orderId']);
  expect(keys).toContain('near-0/weekly');
  expect(keys).toContain('words/zebra crossing');
  expect(keys).toContain('fields/weekly');
  expect(keys.length).toBeLessThanOrEqual(64);
});

test('those that know the fields are not crowded out by those near in meaning, in two spaces, and in words', () => {
  const index = new CapabilityIndex({ main: emptySpace(), english: emptySpace() });
  const inputSchema = { type: 'object', properties: { order_id: {} } };
  const { main } = vectorsAt(180);
  for (let i = 0; i < 24; i += 1)
    index.add(prepared(indexed({ agent: `fields-${i}`, id: 'x', inputSchema }), inMain(main)));
  for (let i = 0; i < 24; i += 1)
    index.add(prepared(indexed({ agent: `words-${i}`, id: 'zebra' }), inMain(main)));
  for (let i = 0; i < 100; i += 1) {
    index.add(prepared(indexed({ agent: `main-${i}`, id: 'm' }), vectorsAt(i / 100)));
    index.add(
      prepared(indexed({ agent: `english-${i}`, id: 'e' }), {
        main,
        english: vectorsAt(i / 100).main,
      }),
    );
  }
  const both = { main: direction(0), english: direction(0) };
  const found = index.find({ ...query('zebra', 0, ['order_id']), vectors: both });
  const count = (kind: string) => found.filter(({ indexed: { key } }) => key.startsWith(kind)).length;
  expect(found).toHaveLength(64);
  expect(['main', 'english', 'fields', 'words'].map(count)).toEqual([16, 16, 16, 16]);
});

test('says how much of the intent and of the payload each one has, and how telling that is', () => {
  const index = emptyIndex();
  const schemaOf = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { description: 'the parcel number' }])),
  });
  index.add(prepared(indexed({ agent: 'a', inputSchema: schemaOf('order_id', 'note') }), vectorsAt(0)));
  index.add(prepared(indexed({ agent: 'b', inputSchema: schemaOf('note') }), vectorsAt(0)));
  index.add(prepared(indexed({ agent: 'c' }), vectorsAt(0)));
  const found = index.find(query('parcel number', 0, ['orderId', 'note']));
  const matchesOf = (agent: string) =>
    found.find(({ indexed: { key } }) => key === `${agent}/weekly`)?.matches;
  const [only, shared] = [Math.log(1 + 3), Math.log(1 + 3 / 2)];
  expect(matchesOf('a')).toMatchObject({ words: 0, fields: 1 });
  expect(matchesOf('a')?.fieldsEvidence).toBeCloseTo((only + shared) / only);
  expect(matchesOf('b')?.fields).toBeCloseTo(shared / (only + shared));
  expect(matchesOf('b')?.fieldWords).toBeGreaterThan(0);
  expect(matchesOf('c')).toEqual({ words: 0, fieldWords: 0, fields: 0, fieldsEvidence: 0 });
});

test('however many telling fields are known, the evidence ends at four', () => {
  const index = emptyIndex();
  const fields = Array.from({ length: 9 }, (_, i) => `field${i}`);
  const properties = Object.fromEntries(fields.map((name) => [name, {}]));
  index.add(prepared(indexed({ inputSchema: { type: 'object', properties } }), vectorsAt(0)));
  index.add(prepared(indexed({ agent: 'other' }), vectorsAt(0)));
  const found = index.find(query('x', 0, fields));
  const knowing = found.find(({ indexed: { key } }) => key === 'reports/weekly');
  expect(knowing?.matches.fieldsEvidence).toBe(4);
});

test('whoever declares the very intent is a candidate, however many are nearer', () => {
  const index = emptyIndex();
  for (let i = 0; i < 300; i += 1) index.add(prepared(indexed({ agent: `near-${i}` }), vectorsAt(i / 100)));
  index.add(
    prepared(indexed({ agent: 'declares', id: 'other', examples: ['weekly near thing'] }), vectorsAt(180)),
  );
  expect(keysOf(index, 'Weekly near thing', 0)).toContain('declares/other');
  const refused = index.find({
    ...query('weekly near thing', 0),
    accepts: ({ key }) => key !== 'declares/other',
  });
  expect(refused.map(({ indexed: { key } }) => key)).not.toContain('declares/other');
});

test('a hundred examples push nobody out', () => {
  const index = emptyIndex();
  const examples = Array.from({ length: 100 }, (_, i) => `example ${i}`);
  index.add(prepared(indexed({ agent: 'loud', examples }), vectorsAt(1)));
  index.add(prepared(indexed({ agent: 'quiet' }), vectorsAt(2)));
  expect(keysOf(index, 'x', 0)).toEqual(['loud/weekly', 'quiet/weekly']);
});

test('a removed capability is found in no way', () => {
  const index = emptyIndex();
  const inputSchema = { type: 'object', properties: { order_id: {} } };
  index.add(prepared(indexed({ examples: ['where is it'], inputSchema }), vectorsAt(0)));
  index.remove('reports/weekly');
  expect(keysOf(index, 'weekly where is it', 0, ['order_id'])).toEqual([]);
  expect(index.get('reports/weekly')).toBeUndefined();
});

test('an intent that is a declared example is known in any case, width and spacing', () => {
  const index = emptyIndex();
  index.add(prepared(indexed({ examples: ['Turn this CSV into JSON'] }), vectorsAt(0)));
  const declares = (intent: string) => index.find(query(intent, 0)).map((found) => found.declares);
  expect(declares(' turn  this ＣＳＶ into json')).toEqual([true]);
  expect(declares('turn this csv into xml')).toEqual([false]);
});

test('clues from before a change are not used', () => {
  const index = emptyIndex();
  index.add(prepared(indexed({ agent: 'old', id: 'zebra' }), vectorsAt(0)));
  const clues = index.clues({ intent: 'zebra', fields: [] });
  index.remove('old/zebra');
  index.add(prepared(indexed({ agent: 'new', id: 'zebra' }), vectorsAt(0)));
  const [found] = index.find({ ...query('zebra', 0), clues });
  expect(found?.indexed.key).toBe('new/zebra');
  expect(found?.matches.words).toBeGreaterThan(0);
});

test('knows the cosines of the intent to each text, and of two descriptions to each other', () => {
  const index = emptyIndex();
  const [a, b] = [indexed({ agent: 'a' }), indexed({ agent: 'b' })];
  const { main } = vectorsAt(60);
  index.add(prepared(a, inMain({ ...main, full: direction(90), examples: [direction(45), direction(30)] })));
  index.add(prepared(b, vectorsAt(0)));
  const found = index.find(query('x', 0)).find(({ indexed: { key } }) => key === a.key);
  expect(found?.similarities.main.summary).toBeCloseTo(0.5);
  expect(found?.nearestText()).toEqual({ similarity: expect.closeTo(Math.cos(Math.PI / 6), 5), example: 1 });
  expect(index.likeness(a, b)).toBeCloseTo(0.5);
  index.remove(b.key);
  expect(index.likeness(a, b)).toBe(-1);
});

test('what is English is looked for among English as well, and nothing else is', () => {
  const index = new CapabilityIndex({ main: emptySpace(), english: emptySpace() });
  for (let i = 0; i < 100; i += 1) index.add(prepared(indexed({ agent: `near-${i}` }), vectorsAt(i / 100)));
  const english = vectorsAt(0).main;
  index.add(prepared(indexed({ agent: 'english' }), { ...vectorsAt(180), english }));
  const find = (vectors: BySpace<Float32Array>) => index.find({ ...query('x', 0), vectors });
  const found = find({ main: direction(0), english: direction(0) });
  expect(found.find(({ indexed: { key } }) => key === 'english/weekly')?.similarities.english).toBeDefined();
  expect(found.find(({ indexed: { key } }) => key === 'near-0/weekly')?.similarities.english).toBeUndefined();
  expect(find(inMain(direction(0))).map(({ indexed: { key } }) => key)).not.toContain('english/weekly');
  index.remove('english/weekly');
  expect(find({ main: direction(0), english: direction(0) }).length).toBeGreaterThan(0);
});
