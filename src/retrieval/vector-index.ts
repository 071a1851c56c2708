import type { TopK } from './top-k.js';

/** Reading and changing a set of vectors that belong to numbered capabilities. `k` counts capabilities, not vectors. */
export interface VectorIndex {
  add(id: number, vectors: readonly Float32Array[]): void;
  remove(id: number): void;
  /** The ids of the `k` accepted capabilities with the vectors nearest to the query (cosine), best first. */
  search(query: Float32Array, k: number, accepts: Accepts): number[];
}

/** Whether a caller may be given a capability. */
export type Accepts = (id: number) => boolean;

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly accepts: Accepts;
}

/** A capability and its vectors. */
export type VectorEntry = readonly [id: number, vectors: readonly Float32Array[]];

/** One of the parts that an index may consist of: some of its capabilities, each with all its vectors. */
export interface VectorPart {
  /** Vectors of the capabilities that are still in it. */
  readonly vectorCount: number;
  /** What is still in it. May be read on while entries are removed. */
  entries(): Iterable<VectorEntry>;
  remove(id: number): void;
  /** Offers at least the part's own `k` best to `best`, with the cosine of each capability's nearest vector. */
  offer(query: VectorQuery, best: TopK): void;
}
