import { ReachError } from '../errors.js';
import { TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorIndex, VectorPart, VectorQuery } from './vector-index.js';
import { dot, isVector } from './vector-math.js';

const FIRST_ROWS = 64;

interface Member {
  readonly vectors: readonly Float32Array[];
  readonly rows: readonly number[];
}

/** Every vector compared with the query, in one block of memory: exact, and as fast as a graph up to some 2,000 vectors. */
export class ExactVectorIndex implements VectorIndex, VectorPart {
  readonly #dim: number;
  #block: Float32Array;
  #usedRows = 0;
  readonly #freeRows: number[] = [];
  readonly #members = new Map<number, Member>();

  constructor(dim: number) {
    this.#dim = dim;
    this.#block = new Float32Array(FIRST_ROWS * dim);
  }

  get vectorCount(): number {
    return this.#usedRows - this.#freeRows.length;
  }

  *entries(): Iterable<VectorEntry> {
    for (const [id, { vectors }] of this.#members) yield [id, vectors];
  }

  /** @throws ReachError INTERNAL where one of them is not a vector; then nothing was added. */
  add(id: number, vectors: readonly Float32Array[]): void {
    if (!vectors.every((vector) => isVector(vector, this.#dim))) {
      throw new ReachError(
        'INTERNAL',
        `A capability came with what is not a vector of ${this.#dim} numbers.`,
      );
    }
    const rows = vectors.map((vector) => {
      const row = this.#freeRows.pop() ?? this.#nextRow();
      this.#block.set(vector, row * this.#dim);
      return row;
    });
    this.#members.set(id, { vectors, rows });
  }

  remove(id: number): void {
    this.#freeRows.push(...(this.#members.get(id)?.rows ?? []));
    this.#members.delete(id);
  }

  search(vector: Float32Array, k: number, accepts: Accepts): number[] {
    const best = new TopK(k);
    this.offer({ vector, k, accepts }, best);
    return best.ids();
  }

  offer({ vector, accepts }: VectorQuery, best: TopK): void {
    for (const [id, { rows }] of this.#members) {
      if (!accepts(id)) continue;
      let nearest = -2;
      for (const row of rows) {
        const cosine = dot(vector, this.#block, row * this.#dim);
        if (cosine > nearest) nearest = cosine;
      }
      best.offer(id, nearest);
    }
  }

  #nextRow(): number {
    if ((this.#usedRows + 1) * this.#dim > this.#block.length) {
      const block = new Float32Array(this.#block.length * 2);
      block.set(this.#block);
      this.#block = block;
    }
    this.#usedRows += 1;
    return this.#usedRows - 1;
  }
}
