import { centroid } from './vector-math.js';
import type { VectorMemory } from './vector-memory.js';

/** The vectors of a capability's texts; all of unit length. */
export interface CapabilityVectors {
  readonly name: Float32Array;
  readonly description: Float32Array;
  readonly examples: readonly Float32Array[];
  /** The direction of the mean of description and examples. */
  readonly centroid: Float32Array;
}

export function withCentroid(vectors: Omit<CapabilityVectors, 'centroid'>): CapabilityVectors {
  const { description, examples } = vectors;
  return { ...vectors, centroid: centroid([description, ...examples], description.length) };
}

/** Cosines of an intent to the texts of a capability. */
export interface Similarities {
  readonly name: number;
  readonly description: number;
  readonly centroid: number;
  /** To the example that is nearest; undefined where there are no examples. */
  readonly example: number | undefined;
}

/** Where the vectors of a capability lie in a vector memory. */
export class CapabilityRows {
  readonly #memory: VectorMemory;
  readonly #name: number;
  readonly #description: number;
  readonly #centroid: number;
  readonly #examples: readonly number[];

  constructor(memory: VectorMemory, { name, description, centroid: middle, examples }: CapabilityVectors) {
    this.#memory = memory;
    this.#name = memory.add(name);
    this.#description = memory.add(description);
    this.#centroid = memory.add(middle);
    this.#examples = examples.map((example) => memory.add(example));
  }

  /** To the query that the memory is aimed at. */
  similarities(): Similarities {
    const memory = this.#memory;
    let example: number | undefined;
    for (const row of this.#examples) {
      const cosine = memory.similarity(row);
      if (example === undefined || cosine > example) example = cosine;
    }
    return {
      name: memory.similarity(this.#name),
      description: memory.similarity(this.#description),
      centroid: memory.similarity(this.#centroid),
      example,
    };
  }

  /** The cosine between the descriptions of two capabilities in the same memory. */
  likeness(other: CapabilityRows): number {
    return this.#memory.between(this.#description, other.#description);
  }

  free(): void {
    for (const row of [this.#name, this.#description, this.#centroid, ...this.#examples])
      this.#memory.free(row);
  }
}
