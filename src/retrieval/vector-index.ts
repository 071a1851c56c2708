import type { GoesFirst, TopK } from './top-k.js';

/** Reading and changing a set of vectors, one of each of some numbered capabilities. */
export interface VectorIndex {
  add(id: number, vector: Float32Array): void;
  remove(id: number): void;
  /** The ids of the `k` accepted capabilities with the vectors nearest to the query (cosine), best first. */
  search(query: Float32Array, k: number, accepts: Accepts, goesFirst?: GoesFirst): number[];
}

/** Whether a caller may be given a capability. */
export type Accepts = (id: number) => boolean;

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly accepts: Accepts;
}

/** A capability and its vector. */
export type VectorEntry = readonly [id: number, vector: Float32Array];

/** One of the parts that an index may consist of: some of its capabilities. */
export interface VectorPart {
  /** Of the capabilities that are still in it. */
  readonly vectorCount: number;
  /** What is still in it. May be read on while entries are removed. */
  entries(): Iterable<VectorEntry>;
  remove(id: number): void;
  /** Offers at least the part's own `k` best to `best`, each with its cosine. */
  offer(query: VectorQuery, best: TopK): void;
}
