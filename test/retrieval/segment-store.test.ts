import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { singleVectors } from '../../benchmarks/support/clustered-vectors.js';
import type { LayeredVectorIndexOptions } from '../../src/retrieval/layered-vector-index.js';
import {
  DIM,
  everything,
  exactOf,
  fill,
  openIndex,
  recall,
  settled,
  temporaryFolder,
  vectorsOf,
} from './vector-fixtures.js';

const { vectors, queries } = vectorsOf(400);
let folder: string;

async function filesEnding(ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

async function only(ending: string): Promise<string> {
  const [path, ...more] = await filesEnding(ending);
  expect(more).toEqual([]);
  return path ?? '';
}

const sidecar = async () => JSON.parse(await readFile(await only('.json'), 'utf8'));

/** An index over the folder, filled and built. What it did is told by which graph file is there afterwards. */
async function start(members = vectors, options: Partial<LayeredVectorIndexOptions> = {}) {
  const { index, reports } = openIndex({ folder, ...options });
  fill(index, members);
  await settled(index);
  const graph = await only('.hnsw');
  return { index, reports, graph };
}

async function startAndClose(...args: Parameters<typeof start>) {
  const started = await start(...args);
  await started.index.close();
  return started;
}

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'index');
});

test('what was built is taken up by the next start, with the same answers', async () => {
  const first = await start();
  const answers = queries.map((query) => first.index.search(query, 5, everything));
  await first.index.close();
  const second = await start();
  expect(second.graph).toBe(first.graph);
  expect(second.reports).toEqual([]);
  expect(second.index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [400] });
  expect(queries.map((query) => second.index.search(query, 5, everything))).toEqual(answers);
});

test('vectors are recognised whatever number they have now', async () => {
  const first = await startAndClose();
  const reversed = vectors.toReversed();
  const second = await start(reversed);
  expect(second.graph).toBe(first.graph);
  expect(recall(second.index, exactOf(reversed), queries, 5)).toBeGreaterThanOrEqual(0.99);
});

test('the sidecar names format, model, catalogue and contents', async () => {
  await start();
  expect(await sidecar()).toMatchObject({
    format: 2,
    dim: DIM,
    modelHash: 'model',
    catalogueVersion: 1,
    bytes: (await readFile(await only('.hnsw'))).length,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    rows: Array.from({ length: 400 }, (_, i) => i),
  });
});

test('a close in order brings the sidecar up to the present catalogue', async () => {
  let version = 3;
  const { index } = await start(vectors, { catalogueVersion: () => version });
  version = 9;
  const [, ...rest] = vectors;
  index.remove(0);
  await index.close();
  expect(await sidecar()).toMatchObject({ catalogueVersion: 9 });
  const before = await only('.hnsw');
  const second = await start(rest, { catalogueVersion: () => 9 });
  expect(second.graph).toBe(before);
  expect(recall(second.index, exactOf(rest), queries, 5)).toBeGreaterThanOrEqual(0.99);
});

test('a file of another version of the catalogue is built anew, also where all of it was recognised', async () => {
  const first = await startAndClose();
  for (const version of [2, 0]) {
    const next = await startAndClose(vectors, { catalogueVersion: () => version });
    expect(next.graph).not.toBe(first.graph);
    expect(await sidecar()).toMatchObject({ catalogueVersion: version });
  }
});

test('a file of another catalogue is built anew; nothing that is gone is ever found in it', async () => {
  const first = await startAndClose();
  // Two thirds as they were, the others with other vectors: what the file says of those is not true any more.
  const now = [...vectors.slice(0, 270), ...vectorsOf(130, 5).vectors];
  const { index, reports } = openIndex({ folder, catalogueVersion: () => 2 });
  fill(index, now);
  const exact = exactOf(now);
  while (index.status().building) {
    expect(recall(index, exact, queries.slice(0, 10), 5)).toBeGreaterThanOrEqual(0.98);
    for (const id of index.search(queries[0] ?? new Float32Array(DIM), 400, everything)) {
      expect(id).toBeLessThan(400);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(await only('.hnsw')).not.toBe(first.graph);
  expect(await sidecar()).toMatchObject({ catalogueVersion: 2 });
  expect(index.status()).toEqual({ building: false, exactVectors: 0, segmentVectors: [400] });
  expect(reports).toEqual([]);
});

describe('a file that cannot be trusted is built anew, and told of', () => {
  async function expectRebuilt(graph: string, options: Partial<LayeredVectorIndexOptions> = {}) {
    const started = await start(vectors, options);
    expect(started.graph).not.toBe(graph);
    expect(started.reports).toEqual([expect.stringContaining(graph)]);
    expect(recall(started.index, exactOf(vectors), queries, 5)).toBeGreaterThanOrEqual(0.99);
    await started.index.close();
    return started.graph;
  }

  test('of another model', async () => {
    const { graph } = await startAndClose();
    await expectRebuilt(graph, { model: { dim: DIM, hash: 'another' } });
  });

  test('of another dimension', async () => {
    const { graph } = await startAndClose();
    const wide = singleVectors(400, 1, { dim: 2 * DIM }).vectors;
    const { index, reports } = openIndex({ folder, model: { dim: 2 * DIM, hash: 'model' } });
    fill(index, wide);
    await settled(index);
    expect(reports).toEqual([expect.stringContaining(graph)]);
    expect(await only('.hnsw')).not.toBe(graph);
    expect(index.search(wide[7] ?? new Float32Array(), 1, everything)).toEqual([7]);
  });

  test.each(['', '{', 'null', '[]', '{"format":2}', '{"format":3}', 'ÿ'.repeat(100)])(
    'with the sidecar %j',
    async (text) => {
      const { graph } = await startAndClose();
      await writeFile(await only('.json'), text);
      await expectRebuilt(graph);
    },
  );

  test.each([
    ['a dimension that the graph does not have', { dim: DIM + 1 }],
    ['another format', { format: 1 }],
    ['rows that are none', { rows: Array(400).fill(-1) }],
    ['fewer fingerprints than rows', { fingerprints: [] }],
    ['another checksum', { sha256: '0'.repeat(64) }],
  ])('with a sidecar of %s', async (_, changes) => {
    const { graph } = await startAndClose();
    await writeFile(await only('.json'), JSON.stringify({ ...(await sidecar()), ...changes }));
    await expectRebuilt(graph);
  });

  test('without its graph', async () => {
    const { graph } = await startAndClose();
    await rm(graph);
    await expectRebuilt(graph);
  });

  test('with a longer graph', async () => {
    const { graph } = await startAndClose();
    await appendFile(graph, 'x');
    await expectRebuilt(graph);
  });

  test('with a graph cut or changed anywhere', async () => {
    let { graph } = await startAndClose();
    const place = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), cut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(place, async ({ at, cut }) => {
        const bytes = await readFile(graph);
        const offset = Math.floor(bytes.length * at);
        if (cut) await truncate(graph, offset);
        else await writeFile(graph, bytes.fill((bytes[offset] ?? 0) ^ 0xff, offset, offset + 1));
        graph = await expectRebuilt(graph);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});

test('what a build that never ended has left is removed, and what is not ours stays', async () => {
  const { graph } = await startAndClose();
  const lost = graph.replace(/.{4}\.hnsw$/, '0000.hnsw');
  await writeFile(lost, 'half');
  await writeFile(join(folder, 'notes.txt'), 'mine');
  const second = await start();
  expect(second.graph).toBe(graph);
  expect(second.reports).toEqual([]);
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
});

test('a graph without a sidecar was never finished: it is not used', async () => {
  const { graph } = await startAndClose();
  await rm(await only('.json'));
  const second = await start();
  expect(second.graph).not.toBe(graph);
  expect(second.reports).toEqual([]);
});

test('a folder that cannot be written is told; all is compared one by one', async () => {
  await writeFile(folder, 'a file where the folder should be');
  const { index, reports } = openIndex({ folder });
  fill(index, vectors);
  await settled(index);
  expect(reports).toEqual([expect.stringContaining(folder)]);
  expect(recall(index, exactOf(vectors), queries, 5)).toBe(1);
});
