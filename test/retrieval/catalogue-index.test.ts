import { expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.js';
import { CatalogueIndex } from '../../src/retrieval/catalogue-index.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { SpaceIndex } from '../../src/retrieval/space-index.js';
import { direction, indexed, inMain } from '../support/candidates.js';

const model = { name: 'stand-in', hash: 'hash', dim: 4 };

function embedderOf(vector: Float32Array): Embedder {
  return {
    model,
    embed: async (texts) => texts.map(() => vector),
    status: () => ({ state: 'ready', model, restarts: 0, pending: 0 }),
    close: async () => {},
  };
}

function indexOver(vector: Float32Array): CatalogueIndex {
  const index = new SpaceIndex(new ExactVectorIndex(4), 4);
  return new CatalogueIndex(inMain({ embedder: embedderOf(vector), index }), () => {});
}

test.each([
  ['empty', new Float32Array()],
  ['of another dimension', new Float32Array(5)],
  ['of NaN', new Float32Array(4).fill(Number.NaN)],
])('a change whose vectors are %s is refused before it counts', async (_, vector) => {
  const index = indexOver(vector);
  await expect(index.prepare([indexed().agent])).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(index.capabilities.get('reports/weekly')).toBeUndefined();
});

test('a copy has what the index has, by the same bits, and goes its own way', async () => {
  const index = indexOver(direction(30));
  const [weekly, daily] = [indexed({ examples: ['a', 'b'] }), indexed({ agent: 'news', id: 'daily' })];
  const snapshot = { version: 7, agents: new Map([['reports', weekly.agent]]) };
  await index.prepare([weekly.agent]);
  index.apply(snapshot, [{ kind: 'published', agent: weekly.agent, before: undefined }]);
  const copy = await index.copy(new AbortController());
  expect(copy.version).toBe(7);
  expect(copy.capabilities.prepared('reports/weekly')).toEqual(index.capabilities.prepared('reports/weekly'));
  await copy.prepare([daily.agent]);
  await copy.applyInSlices({ version: 8, agents: new Map() }, [
    { kind: 'removed', agent: weekly.agent },
    { kind: 'published', agent: daily.agent, before: undefined },
  ]);
  expect([copy.capabilities.keys(), copy.version]).toEqual([['news/daily'], 8]);
  expect([index.capabilities.keys(), index.version]).toEqual([['reports/weekly'], 7]);
});

test('a copy ends when nobody waits for it any more', async () => {
  const index = indexOver(direction(0));
  const { agent } = indexed();
  await index.prepare([agent]);
  index.apply({ version: 1, agents: new Map() }, [{ kind: 'published', agent, before: undefined }]);
  await expect(index.copy({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
});

test('a change that was prepared is found once it is applied, and not before', async () => {
  const index = indexOver(direction(0));
  const { agent } = indexed();
  await index.prepare([agent]);
  expect(index.capabilities.get('reports/weekly')).toBeUndefined();
  const snapshot = { version: 7, agents: new Map([['reports', agent]]) };
  index.apply(snapshot, [{ kind: 'published', agent, before: undefined }]);
  expect(index.capabilities.get('reports/weekly')?.agent).toBe(agent);
  expect(index.version).toBe(7);
});
