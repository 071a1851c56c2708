import { unitSum } from './vector-math.js';
import type { VectorMemory } from './vector-memory.js';

/** The views of a capability that are embedded. */
export const VIEWS = ['name', 'description', 'summary', 'full'] as const;
type View = (typeof VIEWS)[number];

/** How much all views together count in the centroid; each example counts 1. */
const VIEWS_COUNT = 2;

/** The vectors of a capability's texts; all of unit length. */
export interface CapabilityVectors {
  readonly summary: Float32Array;
  readonly full: Float32Array;
  readonly examples: readonly Float32Array[];
  /** The direction of the mean of all views. */
  readonly middle: Float32Array;
  /** The direction of the mean of views and examples. */
  readonly centroid: Float32Array;
}

export function capabilityVectors(
  views: Readonly<Record<View, Float32Array>>,
  examples: readonly Float32Array[],
): CapabilityVectors {
  const { summary, full } = views;
  const all = VIEWS.map((view) => views[view]);
  const share = VIEWS_COUNT / VIEWS.length;
  return {
    summary,
    full,
    examples,
    middle: unitSum(all.map((vector) => ({ vector, times: 1 }))),
    centroid: unitSum([
      ...all.map((vector) => ({ vector, times: share })),
      ...examples.map((vector) => ({ vector, times: 1 })),
    ]),
  };
}

/** Cosines of an intent to the texts of a capability. */
export interface Similarities {
  readonly summary: number;
  readonly full: number;
  readonly centroid: number;
  /** To the nearest example; without examples, to the mean of all views. */
  readonly example: number;
  /** Which example that is, from 0; undefined where there is none. */
  readonly nearest: number | undefined;
}

/** Where the vectors of a capability lie in a vector memory. */
export class CapabilityRows {
  readonly #memory: VectorMemory;
  readonly #summary: number;
  readonly #full: number;
  readonly #middle: number;
  readonly #centroid: number;
  readonly #examples: readonly number[];

  constructor(memory: VectorMemory, vectors: CapabilityVectors) {
    this.#memory = memory;
    this.#summary = memory.add(vectors.summary);
    this.#full = memory.add(vectors.full);
    this.#middle = memory.add(vectors.middle);
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
    return {
      summary: memory.similarity(this.#summary),
      full: memory.similarity(this.#full),
      centroid: memory.similarity(this.#centroid),
      example: nearest === undefined ? memory.similarity(this.#middle) : example,
      nearest,
    };
  }

  /** The cosine between the summaries of two capabilities in the same memory. */
  likeness(other: CapabilityRows): number {
    return this.#memory.between(this.#summary, other.#summary);
  }

  free(): void {
    const rows = [this.#summary, this.#full, this.#middle, this.#centroid, ...this.#examples];
    for (const row of rows) this.#memory.free(row);
  }
}
