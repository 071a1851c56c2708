import { ReachError } from '../errors.js';
import { TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorIndex, VectorPart, VectorQuery } from './vector-index.js';
import { isVector } from './vector-math.js';
import { VectorMemory } from './vector-memory.js';

interface Member {
  readonly vectors: readonly Float32Array[];
  readonly rows: readonly number[];
}

/** Every vector compared with the query: exact, and as fast as a graph up to some 2,000 vectors. */
export class ExactVectorIndex implements VectorIndex, VectorPart {
  readonly #dim: number;
  readonly #memory: VectorMemory;
  readonly #members = new Map<number, Member>();

  constructor(dim: number) {
    this.#dim = dim;
    this.#memory = new VectorMemory(dim);
  }

  get vectorCount(): number {
    return this.#memory.count;
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
    this.#members.set(id, { vectors, rows: vectors.map((vector) => this.#memory.add(vector)) });
  }

  remove(id: number): void {
    for (const row of this.#members.get(id)?.rows ?? []) this.#memory.free(row);
    this.#members.delete(id);
  }

  search(vector: Float32Array, k: number, accepts: Accepts): number[] {
    const best = new TopK(k);
    this.offer({ vector, k, accepts }, best);
    return best.ids();
  }

  offer({ vector, accepts }: VectorQuery, best: TopK): void {
    this.#memory.aim(vector);
    for (const [id, { rows }] of this.#members) {
      if (!accepts(id)) continue;
      let nearest = -2;
      for (const row of rows) {
        const cosine = this.#memory.similarity(row);
        if (cosine > nearest) nearest = cosine;
      }
      best.offer(id, nearest);
    }
  }
}
