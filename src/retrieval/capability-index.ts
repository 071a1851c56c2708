import { textsOf } from './capability-texts.js';
import { FieldIndex } from './field-index.js';
import { foldFieldName, foldText } from './fold.js';
import type { IndexedCapability } from './indexed-capability.js';
import { LexicalIndex, type WordScores } from './lexical-index.js';
import type { VectorIndex } from './vector-index.js';

/** How many candidates each way of looking may bring, and how many all of them together. */
const BY_VECTOR = 32;
const BY_WORDS = 24;
const BY_FIELDS = 24;
const BY_EXAMPLE = 8;
const AT_MOST = 64;

/** What a caller looks for. */
export interface CandidateQuery {
  readonly intent: string;
  readonly vector: Float32Array;
  /** Field names of the payload; empty where there is none. */
  readonly fields: readonly string[];
  readonly accepts: (capability: IndexedCapability) => boolean;
  /** What `overlaps` gave for the intent, where it was asked ahead. */
  readonly overlaps?: Overlaps;
}

/** How far the words of an intent overlap with those of each capability, as the catalogue stood when it was asked. */
export interface Overlaps {
  readonly generation: number;
  readonly scores: WordScores;
}

/** A capability that may be what the caller looks for, with what only the indexes know of the match. */
export interface RetrievedCapability {
  readonly indexed: IndexedCapability;
  /** Overlap of words and character pairs, 0..1. */
  readonly lexical: number;
}

/**
 * All capabilities of the current catalogue, findable by meaning, by words and by payload fields. It is changed
 * in place and read without waiting: both happen synchronously, so a reader never sees half a change.
 */
export class CapabilityIndex {
  readonly #vectors: VectorIndex;
  readonly #words = new LexicalIndex();
  readonly #fields = new FieldIndex();
  readonly #byId = new Map<number, IndexedCapability>();
  readonly #idOf = new Map<string, number>();
  readonly #byExample = new Map<string, Set<number>>();
  #nextId = 0;
  /** Grows with every change. */
  #generation = 0;

  /** `vectors` is still empty, and nobody else changes it. */
  constructor(vectors: VectorIndex) {
    this.#vectors = vectors;
  }

  add(indexed: IndexedCapability): void {
    const id = this.#nextId++;
    this.#generation += 1;
    const { vectors, capability } = indexed;
    this.#byId.set(id, indexed);
    this.#idOf.set(indexed.key, id);
    // Two vectors a capability, however many examples it has: nobody pushes others out by sheer number.
    this.#vectors.add(id, [vectors.description, vectors.centroid]);
    this.#words.add(id, textsOf(capability).words);
    this.#fields.add(id, [...indexed.fields.keys()]);
    for (const example of capability.examples) {
      const folded = foldText(example);
      const declaring = this.#byExample.get(folded) ?? new Set<number>();
      declaring.add(id);
      this.#byExample.set(folded, declaring);
    }
  }

  remove(key: string): void {
    const id = this.#idOf.get(key);
    const indexed = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined || indexed === undefined) return;
    this.#generation += 1;
    this.#idOf.delete(key);
    this.#byId.delete(id);
    this.#vectors.remove(id);
    this.#words.remove(id);
    this.#fields.remove(id);
    for (const example of indexed.capability.examples) {
      const folded = foldText(example);
      const declaring = this.#byExample.get(folded);
      declaring?.delete(id);
      if (declaring?.size === 0) this.#byExample.delete(folded);
    }
  }

  get(key: string): IndexedCapability | undefined {
    const id = this.#idOf.get(key);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The capabilities that declare this intent as one of their examples, but for case, width and spaces. */
  declaring(intent: string): IndexedCapability[] {
    return this.#resolve(this.#byExample.get(foldText(intent)) ?? []);
  }

  /** Needs no vector, so it can be worked out while the model makes one. */
  overlaps(intent: string): Overlaps {
    return { generation: this.#generation, scores: this.#words.scores(intent) };
  }

  /** The union of what declares the intent and of the best by vector, by words and by payload fields: at most 64. */
  find(query: CandidateQuery): RetrievedCapability[] {
    const accepts = (id: number) => {
      const indexed = this.#byId.get(id);
      return indexed !== undefined && query.accepts(indexed);
    };
    const lexical = this.#current(query.overlaps) ?? this.overlaps(query.intent).scores;
    const declaring = this.#byExample.get(foldText(query.intent)) ?? [];
    const ids = new Set([
      ...[...declaring].filter(accepts).slice(0, BY_EXAMPLE),
      ...this.#vectors.search(query.vector, BY_VECTOR, accepts),
      ...this.#fields.best(new Set(query.fields.map(foldFieldName)), BY_FIELDS, accepts),
      ...lexical.best(BY_WORDS, accepts),
    ]);
    const union = [...ids].slice(0, AT_MOST);
    return union.flatMap((id) => {
      const indexed = this.#byId.get(id);
      return indexed === undefined ? [] : [{ indexed, lexical: lexical.of(id) }];
    });
  }

  /** Overlaps that were worked out before a change would speak of capabilities that are gone. */
  #current(overlaps: Overlaps | undefined): Overlaps['scores'] | undefined {
    return overlaps?.generation === this.#generation ? overlaps.scores : undefined;
  }

  #resolve(ids: Iterable<number>): IndexedCapability[] {
    return [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }
}
