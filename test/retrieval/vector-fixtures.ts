import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { singleVectors } from '../../benchmarks/support/clustered-vectors.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import {
  LayeredVectorIndex,
  type LayeredVectorIndexOptions,
} from '../../src/retrieval/layered-vector-index.js';
import type { VectorIndex } from '../../src/retrieval/vector-index.js';

/** Small vectors: building graphs of them is fast. */
export const DIM = 16;
export const EXACT_UP_TO = 200;
export const everything = () => true;

/** A folder of its own for the running test, gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reach-index-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function vectorsOf(count: number, seed = 1) {
  return singleVectors(count, 50, { dim: DIM, seed });
}

/** An index that is closed when the test ends, and what it reported. */
export function openIndex(options: Partial<LayeredVectorIndexOptions> = {}) {
  const reports: string[] = [];
  const index = new LayeredVectorIndex({
    model: { dim: DIM, hash: 'model' },
    folder: null,
    catalogueVersion: () => 1,
    report: (message) => reports.push(message),
    exactUpTo: EXACT_UP_TO,
    ...options,
  });
  onTestFinished(() => index.close());
  return { index, reports };
}

/** Adds capabilities under the ids from `first` on. */
export function fill(index: VectorIndex, vectors: readonly Float32Array[], first = 0): void {
  for (const [i, vector] of vectors.entries()) index.add(first + i, vector);
}

export function exactOf(vectors: readonly Float32Array[]): ExactVectorIndex {
  const exact = new ExactVectorIndex(DIM);
  fill(exact, vectors);
  return exact;
}

/** Waits until nothing is being built. */
export async function settled(index: LayeredVectorIndex): Promise<void> {
  while (index.status().building) await setTimeout(5);
}

/** The share of the exact `k` best that the index finds too. */
export function recall(
  index: VectorIndex,
  exact: VectorIndex,
  queries: readonly Float32Array[],
  k: number,
): number {
  let found = 0;
  let wanted = 0;
  for (const query of queries) {
    const ids = new Set(index.search(query, k, everything));
    for (const id of exact.search(query, k, everything)) {
      wanted += 1;
      if (ids.has(id)) found += 1;
    }
  }
  return found / wanted;
}
