import type { PostingList } from './posting-list.js';
import { TopK } from './top-k.js';

/** Ids that are summed up together. */
const WINDOW = 512;
/** Entries of the strongest lists in which a first few good documents are looked for. */
const FIRST_LOOK = 1_000;
/** Lists of so few entries together are summed up sooner than looked into first. */
const FEW_ENTRIES = 20_000;
/** Lists of so few entries together are summed up at once: what is asked for later is then only looked up. */
const SUMMED_AT_ONCE = 5_000;
/** More than what the order of a sum can change of it. */
const ROUNDING = 1e-9;

/** What the documents of a posting list get for it: always more than 0. */
export interface ScoredList {
  readonly postings: PostingList;
  /** None gets more. */
  readonly bound: number;
  valueAt(position: number): number;
}

/** The ids of the documents that may be among the best. */
type Accepts = (id: number) => boolean;

/**
 * Scores that are sums over posting lists. The best are found without reading all of the lists (MaxScore, Turtle and
 * Flood 1995, by windows of ids): where k documents are known to have more than the weakest lists could give
 * together, a document that stands in no other list is not looked at. Common terms, whose lists are long, are the
 * weak ones. The result is that of adding up everything.
 */
export class ListScores {
  /** The strongest first. */
  readonly #lists: readonly ScoredList[];
  /** What a document can get at most from the list at this place and all after it; one more entry than lists. */
  readonly #rest: Float64Array;

  readonly #isThere: Accepts;
  readonly #entries: number;
  /** Of all documents, where the lists are short. */
  readonly #sums: ReadonlyMap<number, number> | undefined;

  /** `isThere`: whether a listed document is not gone. */
  constructor(lists: readonly ScoredList[], isThere: Accepts) {
    this.#isThere = isThere;
    this.#lists = [...lists].sort((a, b) => b.bound - a.bound);
    this.#rest = new Float64Array(lists.length + 1);
    for (let place = lists.length - 1; place >= 0; place -= 1) {
      this.#rest[place] = (this.#rest[place + 1] ?? 0) + (this.#lists[place]?.bound ?? 0);
    }
    this.#entries = lists.reduce((sum, { postings }) => sum + postings.size, 0);
    this.#sums = this.#entries <= SUMMED_AT_ONCE ? this.#summedUp(this.#entries) : undefined;
  }

  /** The score of one document; 0 where it stands in no list. */
  of(id: number): number {
    if (this.#sums !== undefined) return this.#sums.get(id) ?? 0;
    let score = 0;
    for (const list of this.#lists) {
      const position = list.postings.seek(id, 0);
      if (list.postings.isAt(position, id)) score += list.valueAt(position);
    }
    return score;
  }

  /** The ids of the `k` best among those accepted, best first; equal ones by the smaller id. */
  best(k: number, accepted: Accepts): number[] {
    const accepts = (id: number) => this.#isThere(id) && accepted(id);
    const top = new TopK(k);
    if (this.#sums !== undefined) {
      for (const [id, score] of this.#sums) if (score >= top.floor && accepts(id)) top.offer(id, score);
      return top.ids();
    }
    const leastFloor = this.#leastFloor(k, accepts);
    const summed = this.#start();
    const completed = this.#start();
    const sums = new Float64Array(WINDOW);
    for (;;) {
      const floor = Math.max(leastFloor, top.floor);
      const essential = this.#essential(floor);
      const start = this.#nextId(summed, essential);
      if (start === undefined) return top.ids();
      sums.fill(0);
      for (let place = 0; place < essential; place += 1) this.#addWindow(place, summed, start, sums);
      for (let offset = 0; offset < WINDOW; offset += 1) {
        const sum = sums[offset] ?? 0;
        if (sum === 0) continue;
        const id = start + offset;
        const least = Math.max(leastFloor, top.floor);
        const score = this.#completed(id, sum, essential, completed, least);
        // An equal one came before with a smaller id.
        if (score > least && accepts(id)) top.offer(id, score);
      }
    }
  }

  /** What the documents get from the first so many entries, the strongest lists first. */
  #summedUp(entries: number): Map<number, number> {
    const sums = new Map<number, number>();
    let left = entries;
    for (const list of this.#lists) {
      const looked = Math.min(left, list.postings.size);
      for (let position = 0; position < looked; position += 1) {
        const id = list.postings.idAt(position);
        sums.set(id, (sums.get(id) ?? 0) + list.valueAt(position));
      }
      left -= looked;
      if (left === 0) break;
    }
    return sums;
  }

  /** A position in each list: its beginning. */
  #start(): Uint32Array {
    return new Uint32Array(this.#lists.length);
  }

  /** A little less than what the worst of some `k` good documents has: the k best have more. */
  #leastFloor(k: number, accepts: Accepts): number {
    if (this.#entries <= FEW_ENTRIES) return Number.NEGATIVE_INFINITY;
    const top = new TopK(k);
    for (const [id, sum] of this.#summedUp(FIRST_LOOK))
      if (sum > top.floor && accepts(id)) top.offer(id, sum);
    const scores = top.ids().map((id) => this.of(id));
    return scores.length < k ? Number.NEGATIVE_INFINITY : Math.min(...scores) * (1 - ROUNDING);
  }

  /** How many of the lists a document must stand in at least one of to get more than `floor`. */
  #essential(floor: number): number {
    let count = this.#lists.length;
    while (count > 0 && (this.#rest[count - 1] ?? 0) <= floor) count -= 1;
    return count;
  }

  /** The smallest id that has not been summed up yet. */
  #nextId(summed: Uint32Array, essential: number): number | undefined {
    let next: number | undefined;
    for (let place = 0; place < essential; place += 1) {
      const postings = this.#lists[place]?.postings;
      const position = summed[place] ?? 0;
      if (postings === undefined || position >= postings.size) continue;
      const id = postings.idAt(position);
      if (next === undefined || id < next) next = id;
    }
    return next;
  }

  /** Adds what a list gives to the documents of the window that begins at `start`. */
  #addWindow(place: number, summed: Uint32Array, start: number, sums: Float64Array): void {
    const list = this.#lists[place];
    if (list === undefined) return;
    const { postings } = list;
    let position = summed[place] ?? 0;
    for (; position < postings.size; position += 1) {
      const offset = postings.idAt(position) - start;
      if (offset >= WINDOW) break;
      sums[offset] = (sums[offset] ?? 0) + list.valueAt(position);
    }
    summed[place] = position;
  }

  /**
   * The sum with what the lists from `place` on give; stops as soon as it cannot come to more than `floor`.
   * `positions`: where the lists were left by the document before, whose id is smaller.
   */
  #completed(id: number, sum: number, place: number, positions: Uint32Array, floor: number): number {
    let score = sum;
    for (let next = place; next < this.#lists.length; next += 1) {
      if (score + (this.#rest[next] ?? 0) <= floor) return score;
      const list = this.#lists[next];
      if (list === undefined) return score;
      const { postings } = list;
      const position = postings.seek(id, positions[next] ?? 0);
      positions[next] = position;
      if (postings.isAt(position, id)) score += list.valueAt(position);
    }
    return score;
  }
}
