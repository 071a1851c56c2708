import type { VectorEntry } from './vector-index.js';

/** Whose vectors lie in which rows of a graph. */
export class SegmentMembers {
  readonly vectors = new Map<number, readonly Float32Array[]>();
  readonly #owners: number[][] = [];
  #placed = 0;

  /** `entry` undefined: rows of a capability that is gone. */
  place(rows: readonly number[], entry: VectorEntry | undefined): void {
    this.#placed += rows.length;
    if (entry === undefined) return;
    const [id, vectors] = entry;
    this.vectors.set(id, vectors);
    for (const row of rows) {
      const owners = this.#owners[row];
      if (owners === undefined) this.#owners[row] = [id];
      else owners.push(id);
    }
  }

  /** Vectors in the graph, those of capabilities that are gone included. */
  get placed(): number {
    return this.#placed;
  }

  /** The capabilities with a vector in this row; not all of them need be there still. */
  owners(row: number): readonly number[] {
    return this.#owners[row] ?? [];
  }
}
