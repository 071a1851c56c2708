/** Reading and changing a set of vectors that belong to numbered capabilities. `k` counts capabilities, not vectors. */
export interface VectorIndex {
  add(id: number, vectors: readonly Float32Array[]): void;
  remove(id: number): void;
  /** The ids of the `k` accepted capabilities with the vectors nearest to the query (cosine), best first. */
  search(query: Float32Array, k: number, accepts: (id: number) => boolean): number[];
}
