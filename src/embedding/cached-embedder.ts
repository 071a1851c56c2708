import { hash } from 'node:crypto';
import { ReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';
import type {
  Embedder,
  EmbedderStatus,
  EmbedOptions,
  ModelIdentity,
  TextKind,
  VectorStore,
} from './embedder.js';
import type { ModelDescription } from './model-description.js';
import { SharedWork } from './shared-work.js';
import { sharedVectors } from './text-sharing.js';

/** 20,000 vectors of 384 numbers are 31 MB. */
const DEFAULT_CAPACITY = 20_000;
/** Texts that are asked of the store and the model at once: what was embedded is stored slice by slice. */
const SLICE_TEXTS = 256;

/** Vectors by the hash of their prefixed text. */
type Vectors = ReadonlyMap<string, Float32Array>;

export interface CachedEmbedderOptions {
  /** The model's prefixes: texts that are equal with their prefix have one vector. */
  readonly prefix: ModelDescription['prefix'];
  readonly store: VectorStore;
  /** Told of every failure of the store, which costs time but never a vector. */
  readonly onStoreError: (error: unknown) => void;
  /** Vectors held in memory. */
  readonly capacity?: number;
}

/**
 * An embedder that computes no text twice.
 *
 * - Urgent texts: the newest `capacity` vectors are in memory. The store is neither read nor written, since
 *   its answer can cost more than it saves while somebody waits, and callers' words are not for keeping.
 * - Bulk texts (a catalogue): kept in the store, so that a second start computes nothing. They do not enter
 *   the memory, or one large catalogue would push out all that callers ask for.
 *   Where several processes share the store, each text is computed by one of them.
 * - Bulk texts that are not kept (callers' words that nobody waits for): as urgent ones, but behind all others.
 *
 * The same text asked for twice at once is computed once. Only an urgent text does not wait for a bulk one:
 * that may be far back in the line. A failure is not kept.
 */
export class CachedEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #options: CachedEmbedderOptions;
  readonly #memory: LruMap<string, Float32Array>;
  readonly #running = {
    urgent: new Map<string, SharedWork<Vectors>>(),
    bulk: new Map<string, SharedWork<Vectors>>(),
  };
  #closed = false;

  constructor(inner: Embedder, options: CachedEmbedderOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#memory = new LruMap(options.capacity ?? DEFAULT_CAPACITY);
  }

  get model(): ModelIdentity {
    return this.#inner.model;
  }

  async embed(texts: readonly string[], kind: TextKind, options: EmbedOptions = {}): Promise<Float32Array[]> {
    if (this.#closed) throw new ReachError('CLOSED', 'The embedder is closed.');
    const keys = texts.map((text) => this.#key(text, kind));
    const byKey = new Map(keys.map((key, index) => [key, texts[index] ?? '']));
    const found = new Map<string, Float32Array>();
    const entries = [...byKey];
    for (let start = 0; start < entries.length; start += SLICE_TEXTS) {
      const slice = new Map(entries.slice(start, start + SLICE_TEXTS));
      for (const [key, vector] of await this.#embedSlice(slice, kind, options)) found.set(key, vector);
    }
    return keys.map((key) => {
      const vector = found.get(key);
      if (vector === undefined) throw new ReachError('INTERNAL', 'The model gave no vector for a text.');
      // A copy: a caller that writes into its vector changes nobody else's.
      return vector.slice();
    });
  }

  status(): EmbedderStatus {
    return this.#inner.status();
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#inner.close();
  }

  #key(text: string, kind: TextKind): string {
    return hash('sha256', this.#options.prefix[kind] + text);
  }

  async #embedSlice(texts: Map<string, string>, kind: TextKind, options: EmbedOptions): Promise<Vectors> {
    const { signal, bulk = false, keep = bulk } = options;
    signal?.throwIfAborted();
    const found = new Map<string, Float32Array>();
    const works = new Set<SharedWork<Vectors>>();
    for (const key of texts.keys()) {
      const vector = this.#memory.get(key);
      const work = this.#workOn(key, bulk);
      if (vector !== undefined) found.set(key, vector);
      else if (work !== undefined) works.add(work);
      else continue;
      texts.delete(key);
    }
    if (texts.size > 0) works.add(this.#begin(texts, kind, { bulk, keep }));
    for (const vectors of await Promise.all([...works].map((work) => work.wait(signal)))) {
      for (const [key, vector] of vectors) found.set(key, vector);
    }
    return found;
  }

  #workOn(key: string, bulk: boolean): SharedWork<Vectors> | undefined {
    const work = this.#running.urgent.get(key) ?? (bulk ? this.#running.bulk.get(key) : undefined);
    return work?.abandoned ? undefined : work;
  }

  #begin(
    texts: ReadonlyMap<string, string>,
    kind: TextKind,
    { bulk, keep }: Required<Pick<EmbedOptions, 'bulk' | 'keep'>>,
  ): SharedWork<Vectors> {
    const running = this.#running[bulk ? 'bulk' : 'urgent'];
    const work = new SharedWork(async (signal) => {
      try {
        return await (bulk && keep
          ? this.#storedOrComputed(texts, kind, signal)
          : this.#computed(texts, kind, { signal, bulk }));
      } finally {
        for (const key of texts.keys()) if (running.get(key) === work) running.delete(key);
      }
    });
    for (const key of texts.keys()) running.set(key, work);
    return work;
  }

  async #computed(
    texts: ReadonlyMap<string, string>,
    kind: TextKind,
    options: EmbedOptions,
  ): Promise<Vectors> {
    const vectors = await this.#compute(texts, kind, options);
    for (const [key, vector] of vectors) this.#memory.set(key, vector);
    return vectors;
  }

  async #storedOrComputed(
    texts: ReadonlyMap<string, string>,
    kind: TextKind,
    signal: AbortSignal,
  ): Promise<Vectors> {
    const stored = await this.#stored([...texts.keys()]);
    const missing = new Map([...texts].filter(([key]) => !stored.has(key)));
    if (missing.size === 0) return stored;
    const { claims } = this.#options.store;
    const computed = await (claims === undefined
      ? this.#computedAndStored(missing, kind, signal)
      : sharedVectors(missing, signal, {
          claims,
          modelHash: this.model.hash,
          stored: (keys) => this.#stored(keys),
          compute: (texts, sharedSignal) => this.#computedAndStored(texts, kind, sharedSignal),
          onStoreError: this.#options.onStoreError,
        }));
    return new Map([...stored, ...computed]);
  }

  async #computedAndStored(
    texts: ReadonlyMap<string, string>,
    kind: TextKind,
    signal: AbortSignal,
  ): Promise<Vectors> {
    const computed = await this.#compute(texts, kind, { signal, bulk: true });
    await this.#options.store.putMany(this.model.hash, computed).catch(this.#options.onStoreError);
    return computed;
  }

  async #compute(
    texts: ReadonlyMap<string, string>,
    kind: TextKind,
    options: EmbedOptions,
  ): Promise<Vectors> {
    const vectors = await this.#inner.embed([...texts.values()], kind, options);
    return new Map(
      [...texts.keys()].flatMap((key, index) => {
        const vector = vectors[index];
        return vector === undefined ? [] : [[key, vector] as const];
      }),
    );
  }

  /** What the store holds of these, without what cannot be a vector of this model. */
  async #stored(keys: readonly string[]): Promise<Vectors> {
    try {
      const stored = await this.#options.store.getMany(this.model.hash, keys);
      const usable = [...stored].filter(
        ([, vector]) => vector.length === this.model.dim && vector.every(Number.isFinite),
      );
      return new Map(usable);
    } catch (error) {
      this.#options.onStoreError(error);
      return new Map();
    }
  }
}
