import type { IndexedCapability } from './indexed-capability.js';
import type { MatchScores } from './match-scores.js';
import { type GoesFirst, TopK } from './top-k.js';

/** How many candidates each way of looking may bring. */
const BY_EXAMPLE = 8;
const BY_FIELDS = 24;
const BY_WORDS = 24;
const BY_FIELD_WORDS = 16;

/** Of so few capabilities a search looks at nearly all. */
const FEW = 64;

/** Of a payload with more fields that few know, more would say no more. */
const MOST_EVIDENCE = 4;

/** How much of an intent and its payload a capability has, each 0..1. */
export interface Matches {
  readonly words: number;
  readonly fieldWords: number;
  readonly fields: number;
  /** How much the known fields say, 0..4: as many as this that only one capability knows. */
  readonly fieldsEvidence: number;
}

/** Whether a caller may be given a capability. */
export type AcceptsCapability = (capability: IndexedCapability) => boolean;

interface Known {
  /** Grows with every change of the index: clues are of use until the next. */
  readonly generation: number;
  /** Whether the intent looks English. */
  readonly isEnglish: boolean;
  /** Those that declare the intent as one of their examples, but for case, width and spaces. */
  readonly declaring: ReadonlySet<number>;
  /** Words and character pairs of the intent. */
  readonly words: MatchScores;
  /** The same, in what schemas say of their fields. */
  readonly fieldWords: MatchScores;
  /** Fields of the payload. */
  readonly fields: MatchScores;
  readonly capabilities: ReadonlyMap<number, IndexedCapability>;
  readonly goesFirst: GoesFirst;
}

/**
 * What points to capabilities without a vector, as the catalogue stood when it was asked. What was worked out while
 * a model made the vector need not be worked out after it.
 */
export class Clues {
  readonly #known: Known;
  readonly #matches = new Map<number, Matches>();
  #last: { readonly accepts: AcceptsCapability; readonly best: readonly (readonly number[])[] } | undefined;

  constructor(known: Known) {
    this.#known = known;
  }

  get generation(): number {
    return this.#known.generation;
  }

  get isEnglish(): boolean {
    return this.#known.isEnglish;
  }

  /** The intent is one of its examples. */
  declares(id: number): boolean {
    return this.#known.declaring.has(id);
  }

  /** The ids of the best accepted capabilities by each way of looking, best first; asked twice, only looked up. */
  best(accepts: AcceptsCapability): readonly (readonly number[])[] {
    if (this.#last?.accepts === accepts) return this.#last.best;
    const { capabilities, declaring, fields, words, fieldWords, goesFirst } = this.#known;
    const accepted = (id: number) => {
      const indexed = capabilities.get(id);
      return indexed !== undefined && accepts(indexed);
    };
    const byExample = new TopK(BY_EXAMPLE, goesFirst);
    for (const id of declaring) if (accepted(id)) byExample.offer(id, 1);
    const best = [
      byExample.ids(),
      fields.best(BY_FIELDS, accepted, goesFirst),
      words.best(BY_WORDS, accepted, goesFirst),
      fieldWords.best(BY_FIELD_WORDS, accepted, goesFirst),
    ];
    const likely = capabilities.size <= FEW ? [...capabilities.keys()].filter(accepted) : best.flat();
    for (const id of likely) this.matches(id);
    this.#last = { accepts, best };
    return best;
  }

  matches(id: number): Matches {
    const known = this.#matches.get(id);
    if (known !== undefined) return known;
    const { capabilities, fields, words, fieldWords } = this.#known;
    const ofOneKnowing = Math.log(1 + capabilities.size);
    const matches = {
      words: words.of(id),
      fieldWords: fieldWords.of(id),
      fields: fields.of(id),
      fieldsEvidence: Math.min(MOST_EVIDENCE, fields.weightOf(id) / ofOneKnowing),
    };
    this.#matches.set(id, matches);
    return matches;
  }
}
