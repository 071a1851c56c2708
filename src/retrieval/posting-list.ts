const FIRST_CAPACITY = 4;
const MOST_COUNTED = 0xffff;

interface Columns {
  readonly ids: Uint32Array;
  readonly counts: Uint16Array;
  readonly lengths: Uint32Array;
}

/**
 * The documents that hold a term, in ascending order of their ids, each with how often it holds the term and how
 * long it is: flat arrays, since common terms stand in every document. Grows at its end; who is gone stays among
 * the entries until they are more than a quarter.
 */
export class PostingList {
  readonly term: string;
  /** Among the lists of its index. */
  readonly number: number;
  #ids = new Uint32Array(FIRST_CAPACITY);
  #counts = new Uint16Array(FIRST_CAPACITY);
  #lengths = new Uint32Array(FIRST_CAPACITY);
  #size = 0;
  #gone = 0;

  constructor(term: string, number: number) {
    this.term = term;
    this.number = number;
  }

  /** Entries, those of documents that are gone included. */
  get size(): number {
    return this.#size;
  }

  /** Documents that hold the term now. */
  get documents(): number {
    return this.#size - this.#gone;
  }

  idAt(position: number): number {
    return this.#ids[position] ?? 0;
  }

  /** The first position from `from` on whose id is not smaller than `id`. */
  seek(id: number, from: number): number {
    let low = from;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.idAt(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The arrays themselves, for loops over many entries: only the first `size` of each count, and not for long. */
  get columns(): Columns {
    return { ids: this.#ids, counts: this.#counts, lengths: this.#lengths };
  }

  /** `id` is larger than all before. Counts above 65,535 count as that. */
  append(id: number, count: number, length: number): void {
    if (this.#size === this.#ids.length) this.#reserve(2 * this.#size);
    this.#put(this.#size, id, Math.min(count, MOST_COUNTED), length);
    this.#size += 1;
  }

  /** One of the listed documents is gone; `isThere` knows which are not. */
  forgetOne(isThere: (id: number) => boolean): void {
    this.#gone += 1;
    if (4 * this.#gone <= this.#size) return;
    let kept = 0;
    for (let position = 0; position < this.#size; position += 1) {
      const id = this.idAt(position);
      if (!isThere(id)) continue;
      this.#put(kept, id, this.#counts[position] ?? 0, this.#lengths[position] ?? 0);
      kept += 1;
    }
    this.#size = kept;
    this.#gone = 0;
    this.#reserve(Math.max(FIRST_CAPACITY, kept));
  }

  #put(position: number, id: number, count: number, length: number): void {
    this.#ids[position] = id;
    this.#counts[position] = count;
    this.#lengths[position] = length;
  }

  #reserve(capacity: number): void {
    const used = Math.min(this.#size, capacity);
    const [ids, counts, lengths] = [this.#ids, this.#counts, this.#lengths];
    this.#ids = new Uint32Array(capacity);
    this.#counts = new Uint16Array(capacity);
    this.#lengths = new Uint32Array(capacity);
    this.#ids.set(ids.subarray(0, used));
    this.#counts.set(counts.subarray(0, used));
    this.#lengths.set(lengths.subarray(0, used));
  }
}
