import { type VectorSum, weightedSum } from './vector-math.js';
import type { VectorMemory } from './vector-memory.js';

/** The views of a capability that are embedded. */
export const VIEWS = ['name', 'description', 'summary', 'full'] as const;
type View = (typeof VIEWS)[number];

/** How much all views together count against one example, in each of the centroids. */
const VIEWS_COUNT = { centroid: 2, viewsCentroid: 4 } as const;

/** The vectors of a capability's texts; all of unit length. */
export interface CapabilityVectors {
  readonly summary: Float32Array;
  readonly full: Float32Array;
  readonly examples: readonly Float32Array[];
  /** Views and examples together. */
  readonly centroid: VectorSum;
  /** The same with more weight on the views. */
  readonly viewsCentroid: VectorSum;
}

export function capabilityVectors(
  views: Readonly<Record<View, Float32Array>>,
  examples: readonly Float32Array[],
): CapabilityVectors {
  const centroidWith = (viewsCount: number) =>
    weightedSum([
      ...VIEWS.map((view) => ({ vector: views[view], times: viewsCount / VIEWS.length })),
      ...examples.map((vector) => ({ vector, times: 1 })),
    ]);
  return {
    summary: views.summary,
    full: views.full,
    examples,
    centroid: centroidWith(VIEWS_COUNT.centroid),
    viewsCentroid: centroidWith(VIEWS_COUNT.viewsCentroid),
  };
}

/** Cosines of an intent to what stands for a capability: all that relevance is made of. */
export interface Similarities {
  readonly summary: number;
  readonly centroid: number;
  readonly viewsCentroid: number;
}

/** Which of a capability's texts is nearest to an intent: for people. */
export interface NearestText {
  /** The best cosine to any of them; where there are no examples, the centroid is among them. */
  readonly similarity: number;
  /** Which example is the nearest, from 0; undefined where there is none. */
  readonly example: number | undefined;
}

/** Where the direction of a sum lies in a vector memory, and the sum's length. */
interface SumRow {
  readonly row: number;
  readonly length: number;
}

/** Where the vectors of a capability lie in a vector memory. */
export class CapabilityRows {
  readonly #memory: VectorMemory;
  readonly #summary: number;
  readonly #full: number;
  readonly #viewsCentroid: SumRow;
  readonly #centroid: SumRow;
  readonly #examples: readonly number[];

  constructor(memory: VectorMemory, vectors: CapabilityVectors) {
    this.#memory = memory;
    this.#summary = memory.add(vectors.summary);
    this.#full = memory.add(vectors.full);
    const addSum = ({ direction, length }: VectorSum) => ({ row: memory.add(direction), length });
    this.#viewsCentroid = addSum(vectors.viewsCentroid);
    this.#centroid = addSum(vectors.centroid);
    this.#examples = vectors.examples.map((example) => memory.add(example));
  }

  /** Copies of the vectors. */
  get vectors(): CapabilityVectors {
    const copied = (row: number) => this.#memory.vector(row);
    const copiedSum = ({ row, length }: SumRow) => ({ direction: copied(row), length });
    return {
      summary: copied(this.#summary),
      full: copied(this.#full),
      examples: this.#examples.map(copied),
      centroid: copiedSum(this.#centroid),
      viewsCentroid: copiedSum(this.#viewsCentroid),
    };
  }

  /** The direction of the centroid. */
  get centroid(): Float32Array {
    return this.#memory.vector(this.#centroid.row);
  }

  /** To the query that the memory is aimed at; as if the example at the place `leftOut` were none. */
  similarities(leftOut?: number): Similarities {
    const without = leftOut === undefined ? undefined : this.#examples[leftOut];
    return {
      summary: this.#memory.similarity(this.#summary),
      centroid: this.#toSum(this.#centroid, without),
      viewsCentroid: this.#toSum(this.#viewsCentroid, without),
    };
  }

  /** To the query that the memory is aimed at. */
  nearestText(): NearestText {
    const memory = this.#memory;
    let nearest = Number.NEGATIVE_INFINITY;
    let example: number | undefined;
    for (const [place, row] of this.#examples.entries()) {
      const cosine = memory.similarity(row);
      if (cosine <= nearest) continue;
      nearest = cosine;
      example = place;
    }
    if (example === undefined) nearest = memory.similarity(this.#centroid.row);
    const views = [this.#summary, this.#full].map((row) => memory.similarity(row));
    return { similarity: Math.max(nearest, ...views), example };
  }

  /** The cosine between the summaries of two capabilities in the same memory. */
  likeness(other: CapabilityRows): number {
    return this.#memory.between(this.#summary, other.#summary);
  }

  /** How many examples are nearer to the centroid of another than to what the own one is without them. */
  strays(other: CapabilityRows): number {
    const memory = this.#memory;
    return this.#examples.filter((row) => {
      memory.aim(memory.vector(row));
      return memory.similarity(other.#centroid.row) > this.#toSum(this.#centroid, row);
    }).length;
  }

  /** The cosine to a sum, or to what it is without one of its unit vectors: with s = |s|d, (s - e)q = |s|dq - eq. */
  #toSum({ row, length }: SumRow, without: number | undefined): number {
    const memory = this.#memory;
    const cosine = memory.similarity(row);
    if (without === undefined) return cosine;
    const left = Math.sqrt(length * length - 2 * length * memory.between(row, without) + 1) || 1;
    return (length * cosine - memory.similarity(without)) / left;
  }

  free(): void {
    const sums = [this.#viewsCentroid.row, this.#centroid.row];
    const rows = [this.#summary, this.#full, ...sums, ...this.#examples];
    for (const row of rows) this.#memory.free(row);
  }
}
