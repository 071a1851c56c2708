/** Whether the first of two ids with equal scores goes before the other. The same two are always asked for one answer. */
export type GoesFirst = (id: number, other: number) => boolean;

export const bySmallerId: GoesFirst = (id, other) => id < other;

interface Scored {
  readonly id: number;
  readonly score: number;
}

/** Keeps the `k` best-scored numbers of a stream, whatever its order. */
export class TopK {
  readonly #k: number;
  readonly #goesFirst: GoesFirst;
  /** Worst first: a binary min-heap. */
  readonly #heap: Scored[] = [];

  constructor(k: number, goesFirst = bySmallerId) {
    this.#k = k;
    this.#goesFirst = goesFirst;
  }

  /** The worst score that is kept; minus infinity while there is room, so that nothing under it need be offered. */
  get floor(): number {
    return this.#heap.length < this.#k ? Number.NEGATIVE_INFINITY : (this.#heap[0]?.score ?? 0);
  }

  offer(id: number, score: number): void {
    const heap = this.#heap;
    if (heap.length < this.#k) {
      heap.push({ id, score });
      this.#siftUp(heap.length - 1);
      return;
    }
    const worst = heap[0];
    if (worst === undefined || !this.#isBetter({ id, score }, worst)) return;
    heap[0] = { id, score };
    this.#siftDown();
  }

  /** What was kept, best first. */
  ids(): number[] {
    return [...this.#heap].sort((a, b) => (this.#isBetter(a, b) ? -1 : 1)).map(({ id }) => id);
  }

  #siftUp(start: number): void {
    for (let child = start; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfWorse(child, parent)) return;
      child = parent;
    }
  }

  #siftDown(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const right = left + 1;
      const worse = right < this.#heap.length && this.#isWorse(right, left) ? right : left;
      if (worse >= this.#heap.length || !this.#swapIfWorse(worse, parent)) return;
      parent = worse;
    }
  }

  #isWorse(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    return x !== undefined && y !== undefined && this.#isBetter(y, x);
  }

  /** Swaps where the entry at `a` is worse than that at `b`, so that the worst rises to the root. */
  #swapIfWorse(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined || !this.#isBetter(y, x)) return false;
    this.#heap[a] = y;
    this.#heap[b] = x;
    return true;
  }

  #isBetter(a: Scored, b: Scored): boolean {
    return a.score === b.score ? this.#goesFirst(a.id, b.id) : a.score > b.score;
  }
}
