import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExactVectorIndex } from './exact-vector-index.js';
import type { VectorEntry } from './vector-index.js';

/** Some hundred kilobytes: packed and sent in a fraction of a millisecond. */
const SLICE_VECTORS = 64;

/**
 * The entries in slices, each in a turn of its own of the event loop, so that those who search meanwhile do not
 * wait.
 */
export async function* slicesOf(entries: Iterable<VectorEntry>): AsyncGenerator<readonly VectorEntry[]> {
  let slice: VectorEntry[] = [];
  for (const entry of entries) {
    slice.push(entry);
    if (slice.length < SLICE_VECTORS) continue;
    yield slice;
    await nextTurn();
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** The vectors of a slice, one after the other. */
export function packed(slice: readonly VectorEntry[], dim: number): Float32Array {
  const vectors = new Float32Array(slice.length * dim);
  for (const [place, [, vector]] of slice.entries()) vectors.set(vector, place * dim);
  return vectors;
}

/** The entries in an exact index. */
export async function exactIndexOf(entries: Iterable<VectorEntry>, dim: number): Promise<ExactVectorIndex> {
  const index = new ExactVectorIndex(dim);
  for await (const slice of slicesOf(entries)) {
    for (const [id, vector] of slice) index.add(id, vector);
  }
  return index;
}
