import type { DecisionRecord } from './decision-record.js';

export type OutcomeRecord = NonNullable<DecisionRecord['reported']>;

/** Where a reading of many records stands: behind this one. */
export type RecordCursor = Pick<DecisionRecord, 'atMs' | 'routeId'>;

export interface RecordQuery {
  /** Decided at or after this, in ms since the epoch. */
  readonly fromMs: number;
  /** Decided before this. */
  readonly untilMs: number;
  /** Only decisions for this agent. */
  readonly agentName: string | undefined;
  readonly after: RecordCursor | undefined;
  readonly newestFirst: boolean;
  /** How many at most. */
  readonly limit: number;
}

/**
 * Where decisions are kept, as many of the newest as the adapter says. A port; `storage/` implements it. What was
 * appended may be gone where the machine goes down soon after, not where only the process does.
 */
export interface RecordStore {
  /** A secret of this store, the same for good. */
  salt(team: string): Promise<string>;
  /** What is there already stays as it is. */
  append(team: string, records: readonly DecisionRecord[]): Promise<void>;
  find(team: string, routeId: string): Promise<DecisionRecord | undefined>;
  /** Keeps an outcome with its decision; false where the decision has one already, or is not there. */
  report(team: string, routeId: string, outcome: OutcomeRecord): Promise<boolean>;
  /** By time, then by route_id, or the other way round. Nothing is held between two calls. */
  page(team: string, query: RecordQuery): Promise<readonly DecisionRecord[]>;
  /** Lets go of some of what was decided before `beforeMs` or is too much; true where more is left to do. */
  prune(team: string, beforeMs: number): Promise<boolean>;
}
