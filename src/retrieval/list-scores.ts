import type { IndexedDocument, InvertedIndex } from './inverted-index.js';
import type { PostingList } from './posting-list.js';
import { bySmallerId, type GoesFirst, TopK } from './top-k.js';

/** Ids that are summed up together. */
const WINDOW = 4_096;
/**
 * Entries that are read to find the best, from the lists that give most on: so many, or more in a large catalogue, by
 * documents. Beyond them are terms that so many hold that they hardly tell one from the other.
 */
const READ = 8_000;
const READ_A_DOCUMENT = 0.5;
/** Where lists were left unread, so many times as many as wanted are scored in full. */
const WIDENED = 2;

/** What the documents of a posting list get for it: always more than 0. */
export interface ScoredList {
  readonly postings: PostingList;
  /** None gets more. The same whatever was here before. */
  readonly bound: number;
  /** For a document of this length that holds the term so often. */
  value(count: number, length: number): number;
}

/** The ids of the documents that may be among the best. */
type Accepts = (id: number) => boolean;

const NOTHING: IndexedDocument = { entries: new Uint32Array(), length: 0 };

/** Of the window that is being summed up; all 0 between two. Nothing here waits, so one serves all. */
const sums = new Float64Array(WINDOW);

/**
 * Scores that are sums over posting lists. The score of one document is exact; the best are those of adding up
 * everything where the lists are short together, and else of adding up the lists that give most.
 */
export class ListScores {
  readonly #index: InvertedIndex;
  /** Those that give most first. */
  readonly #lists: readonly ScoredList[];
  /** The same by their number, and which numbers there are, a bit each: most terms of a document are in none. */
  readonly #byNumber = new Map<number, ScoredList>();
  readonly #numbers: Uint32Array;

  /** `lists`: of the index, each once. */
  constructor(index: InvertedIndex, lists: readonly ScoredList[]) {
    this.#index = index;
    this.#lists = [...lists].sort((a, b) => b.bound - a.bound);
    this.#numbers = new Uint32Array((index.listNumbers + 31) >>> 5);
    for (const list of lists) {
      const { number } = list.postings;
      this.#byNumber.set(number, list);
      this.#numbers[number >>> 5] = (this.#numbers[number >>> 5] ?? 0) | (1 << (number & 31));
    }
  }

  /** The score of one document; 0 where it stands in no list. */
  of(id: number): number {
    const { entries, length } = this.#index.document(id) ?? NOTHING;
    const numbers = this.#numbers;
    let score = 0;
    for (let at = 0; at < entries.length; at += 2) {
      const number = entries[at] ?? 0;
      if (((numbers[number >>> 5] ?? 0) & (1 << (number & 31))) === 0) continue;
      score += this.#byNumber.get(number)?.value(entries[at + 1] ?? 0, length) ?? 0;
    }
    return score;
  }

  /** The ids of the `k` best among those accepted, best first. */
  best(k: number, accepted: Accepts, goesFirst = bySmallerId): number[] {
    const accepts = (id: number) => this.#index.has(id) && accepted(id);
    const read = this.#worthReading();
    if (read.length === this.#lists.length) return bestOf(read, k, accepts, goesFirst).ids();
    const best = new TopK(k, goesFirst);
    for (const id of bestOf(read, WIDENED * k, accepts, goesFirst).ids()) best.offer(id, this.of(id));
    return best.ids();
  }

  /** At least one list, however long it is. */
  #worthReading(): readonly ScoredList[] {
    const mostRead = Math.max(READ, READ_A_DOCUMENT * this.#index.size);
    let entries = 0;
    const end = this.#lists.findIndex(({ postings }, place) => {
      entries += postings.documents;
      return entries > mostRead && place > 0;
    });
    return end === -1 ? this.#lists : this.#lists.slice(0, end);
  }
}

/** The `k` best by these lists alone. */
function bestOf(lists: readonly ScoredList[], k: number, accepts: Accepts, goesFirst: GoesFirst): TopK {
  const top = new TopK(k, goesFirst);
  let floor = 0;
  for (const [window, stretches] of stretchesOf(lists)) {
    const start = window * WINDOW;
    for (const stretch of stretches) addUp(stretch, start);
    for (let offset = 0; offset < WINDOW; offset += 1) {
      const sum = sums[offset] ?? 0;
      if (sum === 0 || sum < floor || !accepts(start + offset)) continue;
      top.offer(start + offset, sum);
      floor = Math.max(0, top.floor);
    }
    sums.fill(0);
  }
  return top;
}

/** Entries of one list, from a position on, that lie in one window. */
interface Stretch {
  readonly list: ScoredList;
  readonly from: number;
}

/** Adds what a list gives to the documents of the window that begins at `start`. */
function addUp({ list, from }: Stretch, start: number): void {
  const { size, columns } = list.postings;
  const { ids, counts, lengths } = columns;
  const end = start + WINDOW;
  for (let position = from; position < size; position += 1) {
    const id = ids[position] ?? 0;
    if (id >= end) return;
    sums[id - start] = (sums[id - start] ?? 0) + list.value(counts[position] ?? 0, lengths[position] ?? 0);
  }
}

/**
 * The entries of all lists by their windows, in ascending order: once the ids lie far apart, there are many windows,
 * and each of them concerns few lists.
 */
function stretchesOf(lists: readonly ScoredList[]): [window: number, stretches: Stretch[]][] {
  const byWindow = new Map<number, Stretch[]>();
  for (const list of lists) {
    const { postings } = list;
    for (let from = 0; from < postings.size; ) {
      const window = Math.floor(postings.idAt(from) / WINDOW);
      const stretches = byWindow.get(window);
      if (stretches === undefined) byWindow.set(window, [{ list, from }]);
      else stretches.push({ list, from });
      from = postings.seek((window + 1) * WINDOW, from);
    }
  }
  return [...byWindow].sort(([a], [b]) => a - b);
}
