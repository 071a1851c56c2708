import { unitSum } from './vector-math.js';
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
  /** The direction of the mean of views and examples. */
  readonly centroid: Float32Array;
  /** The same with more weight on the views. */
  readonly viewsCentroid: Float32Array;
}

export function capabilityVectors(
  views: Readonly<Record<View, Float32Array>>,
  examples: readonly Float32Array[],
): CapabilityVectors {
  const centroidWith = (viewsCount: number) =>
    unitSum([
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

/** Cosines of an intent to the texts of a capability. */
export interface Similarities {
  readonly summary: number;
  readonly full: number;
  readonly centroid: number;
  readonly viewsCentroid: number;
  /** To the nearest example; without examples, to the centroid. */
  readonly example: number;
  /** Which example that is, from 0; undefined where there is none. */
  readonly nearest: number | undefined;
}

/** Where the vectors of a capability lie in a vector memory. */
export class CapabilityRows {
  readonly #memory: VectorMemory;
  readonly #summary: number;
  readonly #full: number;
  readonly #viewsCentroid: number;
  readonly #centroid: number;
  readonly #examples: readonly number[];

  constructor(memory: VectorMemory, vectors: CapabilityVectors) {
    this.#memory = memory;
    this.#summary = memory.add(vectors.summary);
    this.#full = memory.add(vectors.full);
    this.#viewsCentroid = memory.add(vectors.viewsCentroid);
    this.#centroid = memory.add(vectors.centroid);
    this.#examples = vectors.examples.map((example) => memory.add(example));
  }

  /** To the query that the memory is aimed at. */
  similarities(): Similarities {
    const memory = this.#memory;
    let example = Number.NEGATIVE_INFINITY;
    let nearest: number | undefined;
    for (const [place, row] of this.#examples.entries()) {
      const cosine = memory.similarity(row);
      if (cosine <= example) continue;
      example = cosine;
      nearest = place;
    }
    const centroid = memory.similarity(this.#centroid);
    return {
      summary: memory.similarity(this.#summary),
      full: memory.similarity(this.#full),
      centroid,
      viewsCentroid: memory.similarity(this.#viewsCentroid),
      example: nearest === undefined ? centroid : example,
      nearest,
    };
  }

  /** The cosine between the summaries of two capabilities in the same memory. */
  likeness(other: CapabilityRows): number {
    return this.#memory.between(this.#summary, other.#summary);
  }

  free(): void {
    const rows = [this.#summary, this.#full, this.#viewsCentroid, this.#centroid, ...this.#examples];
    for (const row of rows) this.#memory.free(row);
  }
}
