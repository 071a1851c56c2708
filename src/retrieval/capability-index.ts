import { type BySpace, looksEnglish } from '../embedding/embedding-space.js';
import { type CapabilityTexts, textsOf } from './capability-texts.js';
import type { CapabilityVectors, NearestText, Similarities } from './capability-vectors.js';
import { type AcceptsCapability, Clues, type Matches } from './clues.js';
import { FieldIndex } from './field-index.js';
import { foldFieldName, foldText } from './fold.js';
import { inTurns } from './in-turns.js';
import type { IndexedCapability } from './indexed-capability.js';
import { LexicalIndex } from './lexical-index.js';
import type { SpaceIndex } from './space-index.js';
import { type TermCounts, termsOf } from './terms.js';

/** How many candidates may come by vector, and how many in all. */
const BY_VECTOR = 32;
const AT_MOST = 64;

/** What a caller looks for: the words of an intent, and the field names of its payload, if there is one. */
export interface Wanted {
  readonly intent: string;
  readonly fields: readonly string[];
}

export interface CandidateQuery extends Wanted {
  readonly vectors: BySpace<Float32Array>;
  readonly accepts: AcceptsCapability;
  /** What `clues` gave, where it was asked ahead. */
  readonly clues?: Clues;
}

/** A capability with all that is kept of it, worked out before the change in which it comes. */
export interface PreparedCapability {
  readonly indexed: IndexedCapability;
  readonly vectors: BySpace<CapabilityVectors>;
  readonly terms: { readonly words: TermCounts; readonly fieldWords: TermCounts };
}

/** `words` and `fieldWords`: of the capability's texts. */
export function prepareCapability(
  indexed: IndexedCapability,
  { words, fieldWords }: Pick<CapabilityTexts, 'words' | 'fieldWords'>,
  vectors: BySpace<CapabilityVectors>,
): PreparedCapability {
  return { indexed, vectors, terms: { words: termsOf(words), fieldWords: termsOf(fieldWords) } };
}

/** A capability that may be what the caller looks for, with what only the indexes know of the match. */
export interface RetrievedCapability {
  readonly indexed: IndexedCapability;
  /** In English only where the intent and the capability both are. */
  readonly similarities: BySpace<Similarities>;
  /** Looked for when it is first asked for, until the next change; undefined where it was not searched for. */
  readonly nearestText: () => NearestText | undefined;
  readonly matches: Matches;
  /** The intent is one of its examples. */
  readonly declares: boolean;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * All capabilities of the current catalogue, findable by meaning, by words and by payload fields. It is changed
 * in place and read without waiting: both happen synchronously, so a reader never sees half a change.
 */
export class CapabilityIndex {
  readonly #spaces: BySpace<SpaceIndex>;
  readonly #words = new LexicalIndex();
  readonly #fieldWords = new LexicalIndex();
  readonly #fields = new FieldIndex();
  readonly #byId = new Map<number, IndexedCapability>();
  readonly #idOf = new Map<string, number>();
  readonly #byExample = new Map<string, Set<number>>();
  #nextId = 0;
  /** By identity: ids say in which order they came, which is another one on every replica. */
  readonly #goesFirst = (id: number, other: number) => this.#keyOf(id) < this.#keyOf(other);
  /** Grows with every change. */
  #generation = 0;

  /** The spaces are still empty, and nobody else changes them. */
  constructor(spaces: BySpace<SpaceIndex>) {
    this.#spaces = spaces;
  }

  add({ indexed, vectors, terms }: PreparedCapability): void {
    const id = this.#nextId++;
    this.#generation += 1;
    const { capability } = indexed;
    this.#byId.set(id, indexed);
    this.#idOf.set(indexed.key, id);
    this.#spaces.main.add(id, vectors.main);
    if (vectors.english !== undefined) this.#spaces.english?.add(id, vectors.english);
    this.#words.add(id, terms.words);
    if (terms.fieldWords.size > 0) this.#fieldWords.add(id, terms.fieldWords);
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
    this.#spaces.main.remove(id);
    this.#spaces.english?.remove(id);
    this.#words.remove(id);
    this.#fieldWords.remove(id);
    this.#fields.remove(id);
    for (const example of indexed.capability.examples) {
      const folded = foldText(example);
      const declaring = this.#byExample.get(folded);
      declaring?.delete(id);
      if (declaring?.size === 0) this.#byExample.delete(folded);
    }
  }

  /** The identities of all capabilities, `agent_name/id`. */
  keys(): string[] {
    return [...this.#idOf.keys()];
  }

  /** A capability as it was added, for another index; undefined where it is not here. */
  prepared(key: string): PreparedCapability | undefined {
    const id = this.#idOf.get(key);
    const indexed = id === undefined ? undefined : this.#byId.get(id);
    const main = id === undefined ? undefined : this.#spaces.main.vectors(id);
    if (id === undefined || indexed === undefined || main === undefined) return undefined;
    const vectors = { main, english: this.#spaces.english?.vectors(id) };
    return prepareCapability(indexed, textsOf(indexed.capability), vectors);
  }

  /** Capabilities. */
  get size(): number {
    return this.#byId.size;
  }

  get(key: string): IndexedCapability | undefined {
    const id = this.#idOf.get(key);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The cosine between the summaries of two capabilities; -1 where one of them is gone. */
  likeness(a: IndexedCapability, b: IndexedCapability): number {
    const [first, second] = [this.#idOf.get(a.key), this.#idOf.get(b.key)];
    return first === undefined || second === undefined ? -1 : this.#spaces.main.likeness(first, second);
  }

  /** The accepted capabilities, at most `k`, that are nearest in meaning to one: best first, itself left out. */
  neighbours(of: IndexedCapability, k: number, accepts: AcceptsCapability): IndexedCapability[] {
    const own = this.#idOf.get(of.key);
    if (own === undefined) return [];
    const ids = this.#spaces.main.neighbours(
      own,
      k,
      (id) => id !== own && this.#accepts(id, accepts),
      this.#goesFirst,
    );
    return ids.flatMap((id) => this.#byId.get(id) ?? []);
  }

  /** How many examples of one are nearer to the centroid of another than to what its own is without them. */
  strays(of: IndexedCapability, to: IndexedCapability): number {
    const [own, other] = [this.#idOf.get(of.key), this.#idOf.get(to.key)];
    return own === undefined || other === undefined ? 0 : this.#spaces.main.strays(own, other);
  }

  /** How rare a word is in what teams write: the logarithm of how few capabilities have it. */
  rarityOf(word: string): number {
    return this.#words.rarityOf(word);
  }

  /** Needs no vector, so it can be worked out while the model makes one. */
  clues({ intent, fields }: Wanted): Clues {
    const terms = termsOf(intent);
    return new Clues({
      generation: this.#generation,
      isEnglish: looksEnglish(intent),
      declaring: this.#byExample.get(foldText(intent)) ?? NOBODY,
      words: this.#words.scores(terms),
      fieldWords: this.#fieldWords.scores(terms),
      fields: this.#fields.scores(new Set(fields.map(foldFieldName))),
      capabilities: this.#byId,
      goesFirst: this.#goesFirst,
    });
  }

  /** The union of what declares the intent and of the best by vector, by words and by payload fields: at most 64. */
  find(query: CandidateQuery): RetrievedCapability[] {
    const { main, english } = query.vectors;
    const accepts = (id: number) => this.#accepts(id, query.accepts);
    const clues = this.#current(query.clues) ?? this.clues(query);
    const [declaring = [], ...byClues] = clues.best(query.accepts);
    const ids = inTurns(
      [
        declaring,
        this.#spaces.main.search(main, BY_VECTOR, accepts, this.#goesFirst),
        english === undefined
          ? []
          : (this.#spaces.english?.search(english, BY_VECTOR, accepts, this.#goesFirst) ?? []),
        ...byClues,
      ],
      AT_MOST,
    );
    return this.#retrieved(ids, query.vectors, clues);
  }

  /** A shorter look than `find`: at the `k` accepted capabilities that are nearest in meaning, and at `besides`. */
  findNearest(
    query: CandidateQuery,
    k: number,
    besides: readonly IndexedCapability[],
  ): RetrievedCapability[] {
    const accepts = (id: number) => this.#accepts(id, query.accepts);
    const nearest = this.#spaces.main.search(query.vectors.main, k, accepts, this.#goesFirst);
    const ids = new Set([...besides.flatMap(({ key }) => this.#idOf.get(key) ?? []), ...nearest]);
    return this.#retrieved([...ids], query.vectors, this.clues(query));
  }

  #retrieved(
    ids: readonly number[],
    { main, english }: BySpace<Float32Array>,
    clues: Clues,
  ): RetrievedCapability[] {
    const inMain = this.#spaces.main.similarities(main, ids);
    const inEnglish = english === undefined ? [] : (this.#spaces.english?.similarities(english, ids) ?? []);
    return ids.flatMap((id, i) => {
      const [indexed, similarities] = [this.#byId.get(id), inMain[i]];
      if (indexed === undefined || similarities === undefined) return [];
      return {
        indexed,
        similarities: { main: similarities, english: inEnglish[i] },
        nearestText: this.#nearestText(main, id),
        matches: clues.matches(id),
        declares: clues.declares(id),
      };
    });
  }

  /** On its own, so that nothing else of a search is kept with it. */
  #nearestText(main: Float32Array, id: number): () => NearestText | undefined {
    return once(() => this.#spaces.main.nearestText(main, id));
  }

  /** What a search gave of a capability, as if its example at this place were none. */
  withoutExample(
    retrieved: RetrievedCapability,
    place: number,
    { intent, vectors }: Pick<CandidateQuery, 'intent' | 'vectors'>,
  ): RetrievedCapability {
    const { capability, key } = retrieved.indexed;
    const id = this.#idOf.get(key);
    if (id === undefined) return retrieved;
    const { main, english } = this.#spaces;
    // Where the example has a place in the space for English, those before it that have none do not count.
    const englishPlace = capability.examples.slice(0, place).filter(looksEnglish).length;
    const { words } = textsOf({ ...capability, examples: capability.examples.toSpliced(place, 1) });
    return {
      ...retrieved,
      similarities: {
        main: main.similaritiesWithout(vectors.main, id, place) ?? retrieved.similarities.main,
        english: vectors.english && english?.similaritiesWithout(vectors.english, id, englishPlace),
      },
      matches: { ...retrieved.matches, words: this.#words.matchOf(intent, words) },
      nearestText: () => undefined,
      declares: false,
    };
  }

  #keyOf(id: number): string {
    return this.#byId.get(id)?.key ?? '';
  }

  #accepts(id: number, accepts: AcceptsCapability): boolean {
    const indexed = this.#byId.get(id);
    return indexed !== undefined && accepts(indexed);
  }

  /** Clues from before a change would speak of capabilities that are gone. */
  #current(clues: Clues | undefined): Clues | undefined {
    return clues?.generation === this.#generation ? clues : undefined;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
