import { textsOf } from './capability-texts.js';
import { CapabilityRows, type CapabilityVectors, type Similarities } from './capability-vectors.js';
import { FieldIndex } from './field-index.js';
import { foldFieldName, foldText } from './fold.js';
import type { IndexedCapability } from './indexed-capability.js';
import { LexicalIndex, type WordScores } from './lexical-index.js';
import type { ListScores } from './list-scores.js';
import type { VectorIndex } from './vector-index.js';
import { VectorMemory } from './vector-memory.js';

/** How many candidates each way of looking may bring, and how many all of them together. */
const BY_VECTOR = 32;
const BY_WORDS = 24;
const BY_FIELDS = 24;
const BY_EXAMPLE = 8;
const AT_MOST = 64;

/** What a caller looks for: the words of an intent, and the field names of its payload, if there is one. */
export interface Wanted {
  readonly intent: string;
  readonly fields: readonly string[];
}

export interface CandidateQuery extends Wanted {
  readonly vector: Float32Array;
  readonly accepts: (capability: IndexedCapability) => boolean;
  /** What `clues` gave, where it was asked ahead. */
  readonly clues?: Clues;
}

/** What points to capabilities without a vector, as the catalogue stood when it was asked. */
export interface Clues {
  readonly generation: number;
  /** Those that declare the intent as one of their examples, but for case, width and spaces. */
  readonly declaring: ReadonlySet<number>;
  /** Overlap of words and character pairs, 0..1. */
  readonly words: WordScores;
  readonly fields: ListScores;
}

/** A capability that may be what the caller looks for, with what only the indexes know of the match. */
export interface RetrievedCapability {
  readonly indexed: IndexedCapability;
  readonly similarities: Similarities;
  /** Overlap of words and character pairs, 0..1. */
  readonly lexical: number;
  /** The intent is one of its examples. */
  readonly declares: boolean;
}

interface Entry {
  readonly indexed: IndexedCapability;
  readonly rows: CapabilityRows;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * All capabilities of the current catalogue, findable by meaning, by words and by payload fields. It is changed
 * in place and read without waiting: both happen synchronously, so a reader never sees half a change.
 */
export class CapabilityIndex {
  readonly #vectors: VectorIndex;
  readonly #memory: VectorMemory;
  readonly #words = new LexicalIndex();
  readonly #fields = new FieldIndex();
  readonly #byId = new Map<number, Entry>();
  readonly #idOf = new Map<string, number>();
  readonly #byExample = new Map<string, Set<number>>();
  #nextId = 0;
  /** Grows with every change. */
  #generation = 0;

  /** `vectors` is still empty, and nobody else changes it. `dim`: numbers a vector. */
  constructor(vectors: VectorIndex, dim: number) {
    this.#vectors = vectors;
    this.#memory = new VectorMemory(dim);
  }

  add(indexed: IndexedCapability, vectors: CapabilityVectors): void {
    const id = this.#nextId++;
    this.#generation += 1;
    const { capability } = indexed;
    this.#byId.set(id, { indexed, rows: new CapabilityRows(this.#memory, vectors) });
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
    const entry = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined || entry === undefined) return;
    this.#generation += 1;
    entry.rows.free();
    this.#idOf.delete(key);
    this.#byId.delete(id);
    this.#vectors.remove(id);
    this.#words.remove(id);
    this.#fields.remove(id);
    for (const example of entry.indexed.capability.examples) {
      const folded = foldText(example);
      const declaring = this.#byExample.get(folded);
      declaring?.delete(id);
      if (declaring?.size === 0) this.#byExample.delete(folded);
    }
  }

  get(key: string): IndexedCapability | undefined {
    return this.#entry(key)?.indexed;
  }

  /** The cosine between the descriptions of two capabilities; -1 where one of them is gone. */
  likeness(a: IndexedCapability, b: IndexedCapability): number {
    const [first, second] = [this.#entry(a.key), this.#entry(b.key)];
    return first === undefined || second === undefined ? -1 : first.rows.likeness(second.rows);
  }

  /** Needs no vector, so it can be worked out while the model makes one. */
  clues({ intent, fields }: Wanted): Clues {
    return {
      generation: this.#generation,
      declaring: this.#byExample.get(foldText(intent)) ?? NOBODY,
      words: this.#words.scores(intent),
      fields: this.#fields.scores(new Set(fields.map(foldFieldName))),
    };
  }

  /** The union of what declares the intent and of the best by vector, by words and by payload fields: at most 64. */
  find(query: CandidateQuery): RetrievedCapability[] {
    const { vector } = query;
    const accepts = (id: number) => {
      const entry = this.#byId.get(id);
      return entry !== undefined && query.accepts(entry.indexed);
    };
    const { declaring, words, fields } = this.#current(query.clues) ?? this.clues(query);
    const ids = new Set([
      ...[...declaring].filter(accepts).slice(0, BY_EXAMPLE),
      ...this.#vectors.search(vector, BY_VECTOR, accepts),
      ...fields.best(BY_FIELDS, accepts),
      ...words.best(BY_WORDS, accepts),
    ]);
    this.#memory.aim(vector);
    return [...ids].slice(0, AT_MOST).flatMap((id) => {
      const entry = this.#byId.get(id);
      if (entry === undefined) return [];
      const { indexed, rows } = entry;
      const lexical = words.of(id);
      return [{ indexed, similarities: rows.similarities(), lexical, declares: declaring.has(id) }];
    });
  }

  /** Clues from before a change would speak of capabilities that are gone. */
  #current(clues: Clues | undefined): Clues | undefined {
    return clues?.generation === this.#generation ? clues : undefined;
  }

  #entry(key: string): Entry | undefined {
    const id = this.#idOf.get(key);
    return id === undefined ? undefined : this.#byId.get(id);
  }
}
