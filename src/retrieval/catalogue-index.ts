import { systemClock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import { ReachError } from '../errors.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import { within } from '../running-calls.js';
import { capabilityKey } from '../wire/capability-key.js';
import { CapabilityIndex } from './capability-index.js';
import { textsOf } from './capability-texts.js';
import { type CapabilityVectors, withCentroid } from './capability-vectors.js';
import { type IndexedCapability, indexCapability } from './indexed-capability.js';
import type { VectorIndex } from './vector-index.js';
import { isVector } from './vector-math.js';

/** Texts handed to the embedder at a time, so that progress can be shown. */
const SLICE = 128;
/** A model process that ends in the middle is replaced; so often the same slice is asked for again. */
const TRIES = 5;
/** A slice takes a second or two; behind a large catalogue it may have to wait for a minute. */
const SLICE_BUDGET_MS = 300_000;

/** What is known of a capability before it is part of the catalogue. */
interface Prepared {
  readonly indexed: IndexedCapability;
  readonly vectors: CapabilityVectors;
}

type Progress = (done: number, total: number) => void;

/** Keeps the capability index in step with the catalogue: embeds before a change is stored, applies it when it counts. */
export class CatalogueIndex implements CatalogueFollower {
  readonly capabilities: CapabilityIndex;
  readonly #embedder: Embedder;
  readonly #onProgress: Progress;
  readonly #prepared = new WeakMap<Agent, readonly Prepared[]>();
  #version = 0;

  constructor(embedder: Embedder, vectors: VectorIndex, onProgress: Progress) {
    this.#embedder = embedder;
    this.#onProgress = onProgress;
    this.capabilities = new CapabilityIndex(vectors, embedder.model.dim);
  }

  /** The version of the catalogue that the index stands at. */
  get version(): number {
    return this.#version;
  }

  async prepare(agents: readonly Agent[]): Promise<void> {
    const texts = new Set<string>();
    for (const agent of agents) {
      for (const capability of agent.manifest.capabilities) {
        const { name, description, examples } = textsOf(capability);
        for (const text of [name, description, ...examples]) texts.add(text);
      }
    }
    const vectors = await this.#embedAll([...texts]);
    const vectorOf = (text: string): Float32Array => {
      const vector = vectors.get(text);
      // Refused here, where a throw still undoes the change: what is applied must not fail.
      if (vector === undefined || !isVector(vector, this.#embedder.model.dim)) {
        throw new ReachError('INTERNAL', 'The model gave no usable vector for a text of a manifest.');
      }
      return vector;
    };
    for (const agent of agents) {
      const prepared = agent.manifest.capabilities.map((capability) => {
        const { name, description, examples } = textsOf(capability);
        return {
          indexed: indexCapability(agent, capability),
          vectors: withCentroid({
            name: vectorOf(name),
            description: vectorOf(description),
            examples: examples.map(vectorOf),
          }),
        };
      });
      this.#prepared.set(agent, prepared);
    }
  }

  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const change of changes) {
      const gone = change.kind === 'removed' ? change.agent : change.before;
      for (const { id } of gone?.manifest.capabilities ?? []) {
        this.capabilities.remove(capabilityKey(gone?.manifest.agentName ?? '', id));
      }
      if (change.kind === 'published') {
        for (const { indexed, vectors } of this.#prepared.get(change.agent) ?? [])
          this.capabilities.add(indexed, vectors);
        // From here on the index holds the vectors.
        this.#prepared.delete(change.agent);
      }
    }
    this.#version = snapshot.version;
  }

  async #embedAll(texts: readonly string[]): Promise<Map<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>();
    for (let start = 0; start < texts.length; start += SLICE) {
      const slice = texts.slice(start, start + SLICE);
      const embedded = await this.#embedSlice(slice);
      for (const [i, text] of slice.entries()) {
        const vector = embedded[i];
        if (vector !== undefined) vectors.set(text, vector);
      }
      this.#onProgress(vectors.size, texts.length);
    }
    return vectors;
  }

  async #embedSlice(slice: readonly string[]): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await within(SLICE_BUDGET_MS, systemClock, ({ signal }) =>
          this.#embedder.embed(slice, 'passage', { bulk: true, signal }),
        );
      } catch (error) {
        const again =
          error instanceof ReachError && error.code === 'EMBEDDING_INTERRUPTED' && attempt < TRIES;
        if (!again) throw error;
      }
    }
  }
}
