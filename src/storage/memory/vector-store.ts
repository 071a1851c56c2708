import type { VectorStore } from '../../embedding/embedder.js';
import { LruMap } from '../../lru-map.js';

/** Of 384 numbers each these take about 150 MB. Without a bound, every text that was ever published would stay. */
const MAX_VECTORS = 100_000;

/** Vectors for as long as the process lives; those that were asked for longest ago go first. */
export class MemoryVectorStore implements VectorStore {
  /** By model hash and text hash. */
  readonly #vectors: LruMap<string, Float32Array>;

  constructor(maxVectors = MAX_VECTORS) {
    this.#vectors = new LruMap(maxVectors);
  }

  async getMany(modelHash: string, textHashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    for (const textHash of textHashes) {
      const vector = this.#vectors.get(`${modelHash} ${textHash}`);
      if (vector !== undefined) found.set(textHash, vector.slice());
    }
    return found;
  }

  async putMany(modelHash: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    for (const [textHash, vector] of vectors) {
      this.#vectors.set(`${modelHash} ${textHash}`, vector.slice());
    }
  }
}
