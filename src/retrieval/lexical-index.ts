import { termsOf } from './terms.js';
import { TopK } from './top-k.js';

/** BM25's usual constants: how soon repeated terms saturate, how much long texts are held back. */
const K1 = 1.2;
const B = 0.75;

interface Document {
  readonly terms: ReadonlyMap<string, number>;
  readonly length: number;
}

/**
 * Inverted index of capability texts, changed in place. Scores are BM25 divided by what a text of average
 * length with each query term once would get, so they lie in 0..1 and unknown words pull them down.
 */
export class LexicalIndex {
  readonly #documents = new Map<number, Document>();
  readonly #postings = new Map<string, Map<number, number>>();
  #totalLength = 0;

  add(id: number, text: string): void {
    const terms = termsOf(text);
    const length = [...terms.values()].reduce((sum, count) => sum + count, 0);
    this.#documents.set(id, { terms, length });
    this.#totalLength += length;
    for (const [term, count] of terms) {
      const posting = this.#postings.get(term);
      if (posting === undefined) this.#postings.set(term, new Map([[id, count]]));
      else posting.set(id, count);
    }
  }

  remove(id: number): void {
    const document = this.#documents.get(id);
    if (document === undefined) return;
    this.#documents.delete(id);
    this.#totalLength -= document.length;
    for (const term of document.terms.keys()) {
      const posting = this.#postings.get(term);
      posting?.delete(id);
      if (posting?.size === 0) this.#postings.delete(term);
    }
  }

  /** The score of every document that shares a term with the text. */
  scores(text: string): Map<number, number> {
    const scores = new Map<number, number>();
    const averageLength = this.#totalLength / Math.max(1, this.#documents.size);
    let attainable = 0;
    for (const term of termsOf(text).keys()) {
      const posting = this.#postings.get(term);
      const idf = this.#idf(posting?.size ?? 0);
      attainable += idf;
      for (const [id, count] of posting ?? []) {
        const length = this.#documents.get(id)?.length ?? averageLength;
        const saturated = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / averageLength));
        scores.set(id, (scores.get(id) ?? 0) + idf * saturated);
      }
    }
    for (const [id, score] of scores) scores.set(id, Math.min(1, score / attainable));
    return scores;
  }

  #idf(documents: number): number {
    return Math.log(1 + (this.#documents.size - documents + 0.5) / (documents + 0.5));
  }
}

/** The ids of the `k` best scores among those accepted, best first. */
export function bestOf(
  scores: ReadonlyMap<number, number>,
  k: number,
  accepts: (id: number) => boolean,
): number[] {
  const best = new TopK(k);
  for (const [id, score] of scores) if (accepts(id)) best.offer(id, score);
  return best.ids();
}
