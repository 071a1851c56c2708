/** Keeps the `k` best-scored numbers of a stream. Equal scores are ordered by the smaller id, so results are stable. */
export class TopK {
  readonly #k: number;
  /** Worst first: a binary min-heap. */
  readonly #heap: { id: number; score: number }[] = [];

  constructor(k: number) {
    this.#k = k;
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
    if (worst === undefined || !isBetter({ id, score }, worst)) return;
    heap[0] = { id, score };
    this.#siftDown();
  }

  /** What was kept, best first. */
  ids(): number[] {
    return [...this.#heap].sort((a, b) => (isBetter(a, b) ? -1 : 1)).map(({ id }) => id);
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
    return x !== undefined && y !== undefined && isBetter(y, x);
  }

  /** Swaps where the entry at `a` is worse than that at `b`, so that the worst rises to the root. */
  #swapIfWorse(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined || !isBetter(y, x)) return false;
    this.#heap[a] = y;
    this.#heap[b] = x;
    return true;
  }
}

function isBetter(a: { id: number; score: number }, b: { id: number; score: number }): boolean {
  return a.score === b.score ? a.id < b.id : a.score > b.score;
}
