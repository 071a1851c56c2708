import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExactVectorIndex } from './exact-vector-index.js';
import type { VectorSlice } from './hnsw-messages.js';
import type { VectorEntry } from './vector-index.js';

/** Some hundred kilobytes: packed and sent in a fraction of a millisecond. */
const SLICE_VECTORS = 64;

/**
 * The entries in packed slices, each in a turn of its own of the event loop, so that those who search meanwhile
 * do not wait.
 */
export async function* slicesOf(
  entries: Iterable<VectorEntry>,
  dim: number,
): AsyncGenerator<VectorSlice & { readonly entries: readonly VectorEntry[] }> {
  let slice: VectorEntry[] = [];
  let count = 0;
  for (const entry of entries) {
    slice.push(entry);
    count += entry[1].length;
    if (count < SLICE_VECTORS) continue;
    yield packed(slice, count, dim);
    await nextTurn();
    slice = [];
    count = 0;
  }
  if (count > 0) yield packed(slice, count, dim);
}

function packed(entries: readonly VectorEntry[], count: number, dim: number) {
  const vectors = new Float32Array(count * dim);
  let end = 0;
  for (const [, own] of entries) {
    for (const vector of own) {
      vectors.set(vector, end);
      end += dim;
    }
  }
  return { entries, counts: entries.map(([, own]) => own.length), vectors };
}

/** Each capability's part of a slice. */
export function partsOf({ counts, vectors }: VectorSlice, dim: number): Float32Array[] {
  let end = 0;
  return counts.map((count) => {
    end += count * dim;
    return vectors.subarray(end - count * dim, end);
  });
}

/** The entries in an exact index. */
export async function exactIndexOf(entries: Iterable<VectorEntry>, dim: number): Promise<ExactVectorIndex> {
  const index = new ExactVectorIndex(dim);
  for await (const slice of slicesOf(entries, dim)) {
    for (const [id, vectors] of slice.entries) index.add(id, vectors);
  }
  return index;
}
