import { execFile } from 'node:child_process';
import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HnswGraph } from '../../src/retrieval/hnsw-graph.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { DIM, temporaryFolder, vectorsOf } from './vector-fixtures.js';

async function graphOf(vectors: readonly Float32Array[]): Promise<HnswGraph> {
  const graph = await HnswGraph.empty(DIM, vectors.length + 1);
  for (const vector of vectors) graph.add(vector);
  return graph;
}

async function savedGraph() {
  const path = join(await temporaryFolder(), 'graph.hnsw');
  const { vectors } = vectorsOf(600);
  await (await graphOf(vectors)).save(path);
  return { path, vectors };
}

test.each([
  ['text', ['a'].concat(Array(DIM - 1).fill('0'))],
  ['nothing', Array(DIM).fill(undefined)],
  ['objects', Array(DIM).fill({})],
  ['NaN', Float32Array.from({ length: DIM }, () => Number.NaN)],
  ['infinity', Float32Array.from({ length: DIM }, (_, i) => (i === 3 ? Number.POSITIVE_INFINITY : 0))],
  ['too few numbers', new Float32Array(DIM - 1)],
  ['too many numbers', new Float32Array(DIM + 1)],
])('refuses a vector of %s, to add and to look for', async (_, vector) => {
  const graph = await graphOf(vectorsOf(20).vectors);
  const unusable = vector as unknown as Float32Array;
  expect(() => graph.add(unusable)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  expect(() => graph.nearest(unusable, 5)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  expect(graph.rows).toBe(20);
});

test('takes Float32Arrays and numbers the rows as they come, equal vectors too', async () => {
  const [vector = new Float32Array(DIM)] = vectorsOf(1).vectors;
  const graph = await HnswGraph.empty(DIM, 3);
  expect([graph.add(vector), graph.add(vector), graph.add(vector)]).toEqual([0, 1, 2]);
  expect(graph.nearest(vector, 10).sort()).toEqual([0, 1, 2]);
});

test('refuses more vectors than it has room for, and room for more than labels can count', async () => {
  const graph = await graphOf(vectorsOf(10).vectors);
  const [vector = new Float32Array(DIM)] = vectorsOf(1).vectors;
  graph.add(vector);
  expect(() => graph.add(vector)).toThrow();
  await expect(HnswGraph.empty(DIM, 2 ** 32 + 1)).rejects.toMatchObject({ code: 'INTERNAL' });
  await expect(HnswGraph.empty(DIM, 0)).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('searches as broadly after it was loaded as before it was saved', async () => {
  const { path, vectors } = await savedGraph();
  const graph = await HnswGraph.load(path, DIM);
  const query = vectors[7] ?? new Float32Array(DIM);
  const byCosine = vectors
    .map((vector, row) => ({ row, cosine: dot(query, vector) }))
    .sort((a, b) => b.cosine - a.cosine);
  const expected = byCosine.slice(0, 50).map(({ row }) => row);
  const found = graph.nearest(query, 200).slice(0, 50);
  expect(graph.rows).toBe(600);
  expect(found.filter((row) => expected.includes(row)).length).toBeGreaterThanOrEqual(49);
});

test('gives its memory back and can still be asked', async () => {
  const graph = await graphOf(vectorsOf(100).vectors);
  graph.release();
  expect(graph.nearest(new Float32Array(DIM), 5)).toEqual([]);
});

test('refuses files of another dimension, cut at any place, of something else or missing', async () => {
  const { path } = await savedGraph();
  const whole = (await readFile(path)).length;
  const damaged = (work: Promise<unknown>) =>
    expect(work).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(path) });
  await damaged(HnswGraph.load(path, DIM + 1));
  await damaged(HnswGraph.load(path, DIM / 2));
  for (const bytes of [
    whole - 1,
    whole - 5,
    Math.floor(whole * 0.9),
    Math.floor(whole / 2),
    97,
    96,
    50,
    8,
    0,
  ]) {
    const cut = `${path}.cut`;
    await copyFile(path, cut);
    await truncate(cut, bytes);
    await damaged(HnswGraph.load(cut, DIM));
  }
  await writeFile(`${path}.text`, 'not a graph at all '.repeat(1_000));
  await damaged(HnswGraph.load(`${path}.text`, DIM));
  await damaged(HnswGraph.load(`${path}.missing`, DIM));
});

test('the traps are real: hnswlib alone takes the process along', async () => {
  const use = (code: string) =>
    promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `import hnswlib from 'hnswlib-node';
       const graph = new hnswlib.HierarchicalNSW('ip', 2);
       graph.initIndex(4); graph.addPoint([1, 0], 0); graph.addPoint([0, 1], 1);
       ${code}
       process.exit(0);`,
    ]);
  await expect(use('')).resolves.toBeDefined();
  await expect(use('graph.addPoint(["a", {}], 2);')).rejects.toBeDefined();
  await expect(
    use('graph.searchKnn([1, 0], 1, () => { throw new Error("filter"); });'),
  ).rejects.toBeDefined();
});
