import { InvertedIndex } from './inverted-index.js';
import { ListScores, type ScoredList } from './list-scores.js';
import { MatchScores } from './match-scores.js';
import type { PostingList } from './posting-list.js';
import { type TermCounts, termsOf } from './terms.js';

/** BM25's usual constants: how soon repeated terms saturate, how much long texts are held back. */
const K1 = 1.2;
const B = 0.75;

/** What a text gets for a term that it holds `count` times: the term's rarity, times how much the text is about it. */
function bm25(idf: number, count: number, length: number, averageLength: number): number {
  const heldBack = K1 * (1 - B + (B * length) / averageLength);
  return (idf * count * (K1 + 1)) / (count + heldBack);
}

function lengthOf(terms: TermCounts): number {
  return [...terms.values()].reduce((sum, count) => sum + count, 0);
}

/** What the texts that hold a term get for it. */
class TermList implements ScoredList {
  readonly postings: PostingList;
  readonly bound: number;
  readonly #idf: number;
  readonly #averageLength: number;

  constructor(postings: PostingList, idf: number, averageLength: number) {
    this.postings = postings;
    this.#idf = idf;
    this.#averageLength = averageLength;
    this.bound = idf * (K1 + 1);
  }

  value(count: number, length: number): number {
    return bm25(this.#idf, count, length, this.#averageLength);
  }
}

/**
 * Inverted index of capability texts, changed in place. Scores are BM25 divided by what a text of average
 * length with each query term once would get, so they lie in 0..1 and unknown words pull them down.
 */
export class LexicalIndex {
  readonly #texts = new InvertedIndex();
  #totalLength = 0;

  /** `id` is larger than all before. */
  add(id: number, terms: TermCounts): void {
    const length = lengthOf(terms);
    this.#texts.add(id, terms, length);
    this.#totalLength += length;
  }

  remove(id: number): void {
    this.#totalLength -= this.#texts.document(id)?.length ?? 0;
    this.#texts.remove(id);
  }

  /** What each text has of these terms. For looking until the next change. */
  scores(terms: TermCounts): MatchScores {
    const averageLength = this.#averageLength();
    const lists: TermList[] = [];
    let attainable = 0;
    for (const term of terms.keys()) {
      const postings = this.#texts.list(term);
      const idf = this.#idf(postings?.documents ?? 0);
      attainable += idf;
      if (postings !== undefined) lists.push(new TermList(postings, idf, averageLength));
    }
    const scores = new ListScores(this.#texts, lists);
    return new MatchScores(scores, attainable);
  }

  /** What `scores` would say of the terms of a text, of another one that is not here. */
  matchOf(text: string, other: string): number {
    const held = termsOf(other);
    const length = lengthOf(held);
    const averageLength = this.#averageLength();
    let score = 0;
    let attainable = 0;
    for (const term of termsOf(text).keys()) {
      const idf = this.#idf(this.#texts.list(term)?.documents ?? 0);
      attainable += idf;
      score += bm25(idf, held.get(term) ?? 0, length, averageLength);
    }
    return attainable === 0 ? 0 : Math.min(1, score / attainable);
  }

  /** How rare a word is: as rare as the rarest of its terms. */
  rarityOf(word: string): number {
    const rarities = [...termsOf(word).keys()].map((term) =>
      this.#idf(this.#texts.list(term)?.documents ?? 0),
    );
    return Math.max(0, ...rarities);
  }

  #averageLength(): number {
    return this.#totalLength / Math.max(1, this.#texts.size);
  }

  #idf(documents: number): number {
    return Math.log(1 + (this.#texts.size - documents + 0.5) / (documents + 0.5));
  }
}
