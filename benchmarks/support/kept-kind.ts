import type { Stores } from '../../src/storage/stores.js';

/** Something of which a Redis keeps many. */
export interface KeptKind {
  readonly name: string;
  /** How many are kept to see what one takes. */
  readonly count: number;
  /** Keeps the one of this number, which counts from 0, and gives what is kept of it. */
  keep(stores: Stores, index: number): Promise<unknown>;
}
