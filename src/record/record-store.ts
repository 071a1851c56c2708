import type { DecisionRecord } from './decision-record.js';
import type { ShadowVerdict } from './shadow-verdict.js';

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

/** Decisions of an hour, in UTC, that weights in the shadow of others answered too. */
export interface ShadowTally {
  readonly hourMs: number;
  readonly weightsVersion: string;
  readonly shadowVersion: string;
  readonly compared: number;
  readonly differing: number;
}

/** Of the decisions from which their shadow differs. */
export interface DifferingQuery {
  /** Decided at or after this, in ms since the epoch. */
  readonly fromMs: number;
  /** Only those in front of this one. */
  readonly before: RecordCursor | undefined;
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
  /** Keeps a shadow with its decision; false where the decision has one already, or is not there. */
  keepShadow(team: string, routeId: string, shadow: ShadowVerdict): Promise<boolean>;
  /** Of the hours that begin at `fromMs` or after it: of those that are kept at least. */
  shadowTallies(team: string, fromMs: number): Promise<readonly ShadowTally[]>;
  /** Newest first. Nothing is held between two calls. */
  differing(team: string, query: DifferingQuery): Promise<readonly DecisionRecord[]>;
  /** By time, then by route_id, or the other way round. Nothing is held between two calls. */
  page(team: string, query: RecordQuery): Promise<readonly DecisionRecord[]>;
  /** Lets go of some of what was decided before `beforeMs` or is too much; true where more is left to do. */
  prune(team: string, beforeMs: number): Promise<boolean>;
}
