import { PostingList } from './posting-list.js';

/** What a document holds: per term its list's number and how often, one after the other. */
export interface IndexedDocument {
  readonly entries: Uint32Array;
  readonly length: number;
}

/** Which documents hold which terms, changed in place. Ids ascend: each is larger than all that were added before. */
export class InvertedIndex {
  readonly #byTerm = new Map<string, PostingList>();
  readonly #byNumber: (PostingList | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  readonly #documents = new Map<number, IndexedDocument>();

  /** Documents. */
  get size(): number {
    return this.#documents.size;
  }

  /** All lists have smaller numbers. */
  get listNumbers(): number {
    return this.#byNumber.length;
  }

  has(id: number): boolean {
    return this.#documents.has(id);
  }

  /** Adds a document: its terms, each with how often it holds it, and its length. */
  add(id: number, terms: ReadonlyMap<string, number>, length: number): void {
    const entries = new Uint32Array(2 * terms.size);
    let end = 0;
    for (const [term, count] of terms) {
      const list = this.#byTerm.get(term) ?? this.#newList(term);
      list.append(id, count, length);
      entries[end] = list.number;
      entries[end + 1] = count;
      end += 2;
    }
    this.#documents.set(id, { entries, length });
  }

  remove(id: number): void {
    const { entries = [] } = this.#documents.get(id) ?? {};
    this.#documents.delete(id);
    for (let at = 0; at < entries.length; at += 2) {
      const list = this.#byNumber[entries[at] ?? 0];
      if (list === undefined) continue;
      list.forgetOne((other) => this.has(other));
      if (list.documents > 0) continue;
      this.#byTerm.delete(list.term);
      this.#byNumber[list.number] = undefined;
      this.#freeNumbers.push(list.number);
    }
  }

  /** The documents that hold a term; undefined where none does. */
  list(term: string): PostingList | undefined {
    return this.#byTerm.get(term);
  }

  /** What a document holds; undefined where it is not there. */
  document(id: number): IndexedDocument | undefined {
    return this.#documents.get(id);
  }

  #newList(term: string): PostingList {
    const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
    const list = new PostingList(term, number);
    this.#byNumber[number] = list;
    this.#byTerm.set(term, list);
    return list;
  }
}
