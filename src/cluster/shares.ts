/** How work is shared out among the replicas that live. */
export interface Shares {
  /** Whether what `key` stands for is this replica's to do. Of all that live, one says so. */
  owns(key: string): boolean;
  /**
   * This replica's part of `total` things that all replicas have together, such as slots. The parts come to `total`,
   * but that each has 1 at least. `key`: whose they are, so that the same replica does not get the larger part of all.
   */
  shareOf(total: number, key: string): number;
  /** The same of a rate, which may be less than 1: where there is less than 1 for each, all have the same. */
  rateOf(total: number, key: string): number;
  /** Called after others live than before. Returns how to end it. */
  onChange(listener: () => void): () => void;
}

/** Of a process that shares its store with nobody. */
export const ALL_OURS: Shares = Object.freeze({
  owns: () => true,
  shareOf: (total: number) => total,
  rateOf: (total: number) => total,
  onChange: () => () => {},
});
