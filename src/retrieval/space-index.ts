import {
  CapabilityRows,
  type CapabilityVectors,
  type NearestText,
  type Similarities,
} from './capability-vectors.js';
import type { GoesFirst } from './top-k.js';
import type { Accepts, VectorIndex } from './vector-index.js';
import { VectorMemory } from './vector-memory.js';

/** The vectors of capabilities in one embedding space: which are near, and how near each of their texts is. */
export class SpaceIndex {
  readonly #nearest: VectorIndex;
  readonly #memory: VectorMemory;
  readonly #rows = new Map<number, CapabilityRows>();

  /** `nearest` is still empty, and nobody else changes it. `dim`: numbers a vector. */
  constructor(nearest: VectorIndex, dim: number) {
    this.#nearest = nearest;
    this.#memory = new VectorMemory(dim);
  }

  add(id: number, vectors: CapabilityVectors): void {
    this.#rows.set(id, new CapabilityRows(this.#memory, vectors));
    // One a capability, however many examples it has: nobody pushes others out by sheer number.
    this.#nearest.add(id, vectors.centroid.direction);
  }

  remove(id: number): void {
    const rows = this.#rows.get(id);
    if (rows === undefined) return;
    rows.free();
    this.#rows.delete(id);
    this.#nearest.remove(id);
  }

  /** Copies of the vectors of a capability; undefined for one that has no place in this space. */
  vectors(id: number): CapabilityVectors | undefined {
    return this.#rows.get(id)?.vectors;
  }

  /** The `k` accepted capabilities that are nearest to the query, best first. */
  search(query: Float32Array, k: number, accepts: Accepts, goesFirst: GoesFirst): number[] {
    return this.#nearest.search(query, k, accepts, goesFirst);
  }

  /** The `k` accepted capabilities that are nearest to the centroid of one; none where it is not here. */
  neighbours(id: number, k: number, accepts: Accepts, goesFirst: GoesFirst): number[] {
    const rows = this.#rows.get(id);
    return rows === undefined ? [] : this.#nearest.search(rows.centroid, k, accepts, goesFirst);
  }

  /** How many examples of one capability are nearer to the centroid of another than to what its own is without them. */
  strays(of: number, to: number): number {
    const [own, other] = [this.#rows.get(of), this.#rows.get(to)];
    return own === undefined || other === undefined ? 0 : own.strays(other);
  }

  /** How near the query is to what stands for each capability; undefined for one that has no place in this space. */
  similarities(query: Float32Array, ids: readonly number[]): (Similarities | undefined)[] {
    this.#memory.aim(query);
    return ids.map((id) => this.#rows.get(id)?.similarities());
  }

  /** Which text of a capability is nearest to the query; undefined where it has no place in this space. */
  nearestText(query: Float32Array, id: number): NearestText | undefined {
    this.#memory.aim(query);
    return this.#rows.get(id)?.nearestText();
  }

  /** The similarities of one capability, as if its example at the place `leftOut` were none. */
  similaritiesWithout(query: Float32Array, id: number, leftOut: number): Similarities | undefined {
    this.#memory.aim(query);
    return this.#rows.get(id)?.similarities(leftOut);
  }

  /** The cosine between the summaries of two capabilities; -1 where one of them is not here. */
  likeness(a: number, b: number): number {
    const [first, second] = [this.#rows.get(a), this.#rows.get(b)];
    return first === undefined || second === undefined ? -1 : first.likeness(second);
  }
}
