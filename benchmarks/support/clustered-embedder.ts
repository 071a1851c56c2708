import type { Embedder, EmbedderStatus, ModelIdentity } from '../../src/embedding/embedder.js';

/** An embedder that was told all vectors before: for catalogues that a model would need an hour for. */
export class ClusteredEmbedder implements Embedder {
  readonly model: ModelIdentity;
  readonly #vectors = new Map<string, Float32Array>();

  constructor(model: ModelIdentity) {
    this.model = model;
  }

  tell(text: string, vector: Float32Array): void {
    this.#vectors.set(text, vector);
  }

  /** @throws Error for a text that it was not told */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => {
      const vector = this.#vectors.get(text);
      if (vector === undefined) throw new Error(`Nobody told the vector of ${JSON.stringify(text)}.`);
      return vector;
    });
  }

  status(): EmbedderStatus {
    return { state: 'ready', model: this.model, restarts: 0, pending: 0 };
  }

  async close(): Promise<void> {}
}
