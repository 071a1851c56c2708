import type { VectorEntry } from './vector-index.js';

/** Whose vector lies in which row of a graph. */
export class SegmentMembers {
  readonly vectors = new Map<number, Float32Array>();
  readonly #owners: number[][] = [];
  #placed = 0;

  /** `entry` undefined: the row of a capability that is gone. */
  place(row: number, entry: VectorEntry | undefined): void {
    this.#placed += 1;
    if (entry === undefined) return;
    const [id, vector] = entry;
    this.vectors.set(id, vector);
    const owners = this.#owners[row];
    if (owners === undefined) this.#owners[row] = [id];
    else owners.push(id);
  }

  /** Capabilities with a vector in the graph, those that are gone included. */
  get placed(): number {
    return this.#placed;
  }

  /** The capabilities whose vector lies in this row; not all of them need be there still. */
  owners(row: number): readonly number[] {
    return this.#owners[row] ?? [];
  }
}
