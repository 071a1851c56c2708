import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { percentile } from '../../src/evaluation/percentile.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { LayeredVectorIndex } from '../../src/retrieval/layered-vector-index.js';
import type { VectorIndex } from '../../src/retrieval/vector-index.js';

/** As many as a route asks the vector index for. */
const K = 32;
const everything = () => true;

/** An empty index as the service has it, without files; with `exactUpTo`, other than the service has it. */
export function newIndex(dim: number, exactUpTo?: number): LayeredVectorIndex {
  return new LayeredVectorIndex({
    model: { dim, hash: 'benchmark' },
    folder: null,
    catalogueVersion: () => 1,
    report: (message) => process.stderr.write(`${message}\n`),
    ...(exactUpTo === undefined ? {} : { exactUpTo }),
  });
}

export function newExact(dim: number): ExactVectorIndex {
  return new ExactVectorIndex(dim);
}

/** Adds the vectors under their places as ids. */
export function fill(index: VectorIndex, vectors: readonly Float32Array[]): void {
  for (const [id, vector] of vectors.entries()) index.add(id, vector);
}

/** The index tidies up five seconds after the last change; a build of this size takes some seconds. */
const AT_REST_MS = 7_000;

/** Waits until nothing is being built. */
export async function untilBuilt(index: LayeredVectorIndex): Promise<void> {
  while (index.status().building) await setTimeout(10);
}

/** Waits until nothing is being built and nothing will be without a change. */
export async function untilAtRest(index: LayeredVectorIndex): Promise<void> {
  for (let since = performance.now(); performance.now() - since < AT_REST_MS; await setTimeout(10)) {
    if (index.status().building) since = performance.now();
  }
}

/** How long a search for each query takes, in ms, in ascending order. */
export function searchTimes(index: VectorIndex, queries: readonly Float32Array[]): number[] {
  return queries
    .map((query) => {
      const startedAt = performance.now();
      index.search(query, K, everything);
      return performance.now() - startedAt;
    })
    .sort((a, b) => a - b);
}

export function median(times: readonly number[]): number {
  return percentile(times, 0.5);
}

/** The share of the exact five nearest that the index has among its own five. */
export function recallAt5(index: VectorIndex, exact: VectorIndex, queries: readonly Float32Array[]): number {
  let found = 0;
  for (const query of queries) {
    const ids = new Set(index.search(query, K, everything).slice(0, 5));
    for (const id of exact.search(query, 5, everything)) if (ids.has(id)) found += 1;
  }
  return found / (5 * queries.length);
}

/** Resident memory of this process after a garbage collection, in MB of a million bytes. */
export function residentMb(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage.rss() / 1e6;
}
