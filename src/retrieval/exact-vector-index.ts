import { ReachError } from '../errors.js';
import { bySmallerId, TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorIndex, VectorPart, VectorQuery } from './vector-index.js';
import { isVector } from './vector-math.js';
import { VectorMemory } from './vector-memory.js';

/** Every vector compared with the query: exact, and as fast as memory is read. */
export class ExactVectorIndex implements VectorIndex, VectorPart {
  readonly #dim: number;
  readonly #memory: VectorMemory;
  readonly #rows = new Map<number, number>();
  /** Whose vector lies in a row; undefined where nobody's. */
  readonly #ids: (number | undefined)[] = [];

  constructor(dim: number) {
    this.#dim = dim;
    this.#memory = new VectorMemory(dim);
  }

  get vectorCount(): number {
    return this.#rows.size;
  }

  *entries(): Iterable<VectorEntry> {
    for (const [id, row] of this.#rows) yield [id, this.#memory.vector(row)];
  }

  /** @throws ReachError INTERNAL where it is not a vector; then nothing was added. */
  add(id: number, vector: Float32Array): void {
    if (!isVector(vector, this.#dim)) {
      throw new ReachError(
        'INTERNAL',
        `A capability came with what is not a vector of ${this.#dim} numbers.`,
      );
    }
    const row = this.#memory.add(vector);
    this.#rows.set(id, row);
    this.#ids[row] = id;
  }

  remove(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#memory.free(row);
    this.#rows.delete(id);
    this.#ids[row] = undefined;
  }

  search(vector: Float32Array, k: number, accepts: Accepts, goesFirst = bySmallerId): number[] {
    const best = new TopK(k, goesFirst);
    this.offer({ vector, k, accepts }, best);
    return best.ids();
  }

  offer({ vector, accepts }: VectorQuery, best: TopK): void {
    this.#memory.aim(vector);
    let { floor } = best;
    for (const { first, cosines } of this.#memory.similarities()) {
      for (let i = 0; i < cosines.length; i += 1) {
        const cosine = cosines[i] as number;
        if (cosine < floor) continue;
        const id = this.#ids[first + i];
        if (id === undefined || !accepts(id)) continue;
        best.offer(id, cosine);
        floor = best.floor;
      }
    }
  }
}
