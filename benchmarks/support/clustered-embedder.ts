import type { Embedder, EmbedderStatus, ModelIdentity } from '../../src/embedding/embedder.js';
import type { Capability } from '../../src/manifest/schema.js';
import { textsOf } from '../../src/retrieval/capability-texts.js';
import { VIEWS } from '../../src/retrieval/capability-vectors.js';

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

  /** The vector of what a capability says of itself, and that of its examples. */
  tellCapability(capability: Capability, itself: Float32Array, examples: Float32Array): void {
    const texts = textsOf(capability);
    for (const view of VIEWS) this.tell(texts[view], itself);
    for (const example of texts.examples) this.tell(example, examples);
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
