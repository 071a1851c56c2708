import { TopK } from './top-k.js';
import type { VectorIndex } from './vector-index.js';
import { dot } from './vector-math.js';

const FIRST_ROWS = 64;
const FREE = -1;

/** Every vector compared with the query, in one block of memory: exact, and as fast as a graph up to some 2,000 vectors. */
export class ExactVectorIndex implements VectorIndex {
  readonly #dim: number;
  #rows: Float32Array;
  /** The capability that each row belongs to, FREE where none. */
  #owners: Int32Array;
  #used = 0;
  readonly #freeRows: number[] = [];
  readonly #rowsOf = new Map<number, number[]>();

  constructor(dim: number) {
    this.#dim = dim;
    this.#rows = new Float32Array(FIRST_ROWS * dim);
    this.#owners = new Int32Array(FIRST_ROWS).fill(FREE);
  }

  add(id: number, vectors: readonly Float32Array[]): void {
    const rows = vectors.map((vector) => {
      const row = this.#freeRows.pop() ?? this.#nextRow();
      this.#rows.set(vector, row * this.#dim);
      this.#owners[row] = id;
      return row;
    });
    this.#rowsOf.set(id, rows);
  }

  remove(id: number): void {
    for (const row of this.#rowsOf.get(id) ?? []) {
      this.#owners[row] = FREE;
      this.#freeRows.push(row);
    }
    this.#rowsOf.delete(id);
  }

  search(query: Float32Array, k: number, accepts: (id: number) => boolean): number[] {
    const similarity = new Map<number, number>();
    for (let row = 0; row < this.#used; row += 1) {
      const owner = this.#owners[row] as number;
      if (owner === FREE) continue;
      const cosine = dot(query, this.#rows, row * this.#dim);
      if (cosine > (similarity.get(owner) ?? -2)) similarity.set(owner, cosine);
    }
    const best = new TopK(k);
    for (const [id, cosine] of similarity) if (accepts(id)) best.offer(id, cosine);
    return best.ids();
  }

  #nextRow(): number {
    if (this.#used === this.#owners.length) {
      const rows = new Float32Array(this.#rows.length * 2);
      rows.set(this.#rows);
      this.#rows = rows;
      const owners = new Int32Array(this.#owners.length * 2).fill(FREE);
      owners.set(this.#owners);
      this.#owners = owners;
    }
    this.#used += 1;
    return this.#used - 1;
  }
}
