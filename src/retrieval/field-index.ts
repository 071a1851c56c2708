import { InvertedIndex } from './inverted-index.js';
import { ListScores, type ScoredList } from './list-scores.js';
import { MatchScores } from './match-scores.js';
import type { PostingList } from './posting-list.js';

/** Every capability that knows a field gets the same for it. */
class FieldList implements ScoredList {
  readonly postings: PostingList;
  readonly bound: number;

  constructor(postings: PostingList, weight: number) {
    this.postings = postings;
    this.bound = weight;
  }

  value(): number {
    return this.bound;
  }
}

/**
 * Which capabilities know a payload field, by folded name. A field that few schemas know says more than one
 * that all of them know, so a match weighs log(1 + capabilities / knowing).
 */
export class FieldIndex {
  readonly #schemas = new InvertedIndex();

  /** `id` is larger than all before. */
  add(id: number, fields: readonly string[]): void {
    this.#schemas.add(id, new Map(fields.map((field) => [field, 1])), fields.length);
  }

  remove(id: number): void {
    this.#schemas.remove(id);
  }

  /** The known share of the fields, by weight. For looking until the next change. */
  scores(fields: ReadonlySet<string>): MatchScores {
    const lists: FieldList[] = [];
    let attainable = 0;
    for (const field of fields) {
      const knowing = this.#schemas.list(field);
      const weight = Math.log(1 + this.#schemas.size / Math.max(1, knowing?.documents ?? 1));
      attainable += weight;
      if (knowing !== undefined) lists.push(new FieldList(knowing, weight));
    }
    const scores = new ListScores(this.#schemas, lists);
    return new MatchScores(scores, attainable);
  }
}
