import { PostingList } from './posting-list.js';

/** Which documents hold which terms, changed in place. Ids ascend: each is larger than all that were added before. */
export class InvertedIndex {
  readonly #lists = new Map<string, PostingList>();
  readonly #listsOf = new Map<number, readonly PostingList[]>();

  /** Documents. */
  get size(): number {
    return this.#listsOf.size;
  }

  has(id: number): boolean {
    return this.#listsOf.has(id);
  }

  /** Adds a document: its terms, each with how often it holds it, and its length. */
  add(id: number, terms: ReadonlyMap<string, number>, length: number): void {
    const lists: PostingList[] = [];
    for (const [term, count] of terms) {
      const list = this.#lists.get(term) ?? new PostingList(term);
      if (list.size === 0) this.#lists.set(term, list);
      list.append(id, count, length);
      lists.push(list);
    }
    this.#listsOf.set(id, lists);
  }

  remove(id: number): void {
    const lists = this.#listsOf.get(id) ?? [];
    this.#listsOf.delete(id);
    for (const list of lists) {
      list.forgetOne((other) => this.has(other));
      if (list.documents === 0) this.#lists.delete(list.term);
    }
  }

  /** The documents that hold a term; undefined where none does. */
  list(term: string): PostingList | undefined {
    return this.#lists.get(term);
  }
}
