/** What a text is for. Asymmetric models put another prefix before each. */
export type TextKind = 'query' | 'passage';

/** The model behind vectors: whoever stores or compares them binds them to `hash`. */
export interface ModelIdentity {
  readonly name: string;
  /** SHA-256 of the model's `reach.json`, hex. */
  readonly hash: string;
  readonly dim: number;
}

export interface EmbedOptions {
  /** Ends the wait (the promise rejects with the signal's reason); work already handed to the model goes on. */
  readonly signal?: AbortSignal;
  /** Bulk work (a catalogue) waits behind texts that a caller waits for. Default false. */
  readonly bulk?: boolean;
  /** Whether the vectors of bulk texts go into the store; callers' words are not for keeping. Default true. */
  readonly keep?: boolean;
}

export interface EmbedderStatus {
  readonly state: 'starting' | 'ready' | 'restarting' | 'closed';
  readonly model: ModelIdentity;
  readonly restarts: number;
  /** Texts waiting for, or held by, the model. */
  readonly pending: number;
}

/** Text in, unit vectors of `model.dim` numbers out, in order. A text's vector is always the same bits. */
export interface Embedder {
  readonly model: ModelIdentity;
  /**
   * @throws ReachError EMBEDDING_INTERRUPTED where the process ended while it held a text (retryable),
   * CLOSED after close(), OVERLOADED where the queue is full.
   */
  embed(texts: readonly string[], kind: TextKind, options?: EmbedOptions): Promise<Float32Array[]>;
  status(): EmbedderStatus;
  close(): Promise<void>;
}

/** Where vectors are kept between starts, by (model hash, text hash). A port; `storage/` implements it. */
export interface VectorStore {
  /** The stored vectors of these text hashes; those not stored are not in the map. */
  getMany(modelHash: string, textHashes: readonly string[]): Promise<Map<string, Float32Array>>;
  putMany(modelHash: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Where several processes share it, so that each text is embedded by one of them. */
  readonly claims?: TextClaims;
}

/** Who embeds which text. A claim goes by itself where its process died. */
export interface TextClaims {
  /**
   * Of these texts those that are ours to embed for the next `ttlMs`: not claimed by another process. Who claims again
   * what is theirs has it longer. What is stored may be claimed too: look after claiming.
   */
  claim(modelHash: string, textHashes: readonly string[], ttlMs: number): Promise<ReadonlySet<string>>;
  /** Gives up what is ours of these: they are stored, or cannot be embedded. */
  release(modelHash: string, textHashes: readonly string[]): Promise<void>;
}
