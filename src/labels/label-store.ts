import type { LabelSource } from '../wire/labels.js';
import type { StoredLabel } from './stored-label.js';

/** Where a reading of many labels stands: behind this one. */
export type LabelCursor = Pick<StoredLabel, 'atMs' | 'labelId'>;

export interface LabelQuery {
  /** Undefined: of all. */
  readonly source: LabelSource | undefined;
  /** Said last at or after this, in ms since the epoch. */
  readonly fromMs: number;
  readonly after: LabelCursor | undefined;
  /** How many at most. */
  readonly limit: number;
}

/**
 * Where labels are kept, at most as many as the adapter says. A port; `storage/` implements it. Every write is durable
 * when its promise resolves.
 */
export interface LabelStore {
  /**
   * Keeps labels, all of them or none, and tells how many were new; of one that is there already time and route are
   * those of now. Where there are too many, the oldest that nobody wrote go. `full`: what people wrote would have to.
   */
  add(team: string, labels: readonly StoredLabel[]): Promise<number | 'full'>;
  /** False: it is not there. */
  remove(team: string, labelId: string): Promise<boolean>;
  /** By time, then by label_id. Nothing is held between two calls. */
  page(team: string, query: LabelQuery): Promise<readonly StoredLabel[]>;
}
