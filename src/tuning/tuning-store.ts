import type { Weights } from '../routing/weights.js';

/** Weights that were put into force, without the weights themselves. */
export interface TuningVersion {
  /** Counts from 1 and is never given twice. */
  readonly number: number;
  /** What the weights call themselves. */
  readonly weightsVersion: string;
  /** The same for weights of the same content. */
  readonly contentHash: string;
  readonly appliedAtMs: number;
  readonly note: string | null;
  readonly tuned: Omit<NonNullable<Weights['tuned']>, 'capabilities'> | null;
  /** Null where it was not rolled back. */
  readonly rolledBackAtMs: number | null;
}

/** Weights that are about to be put into force. */
export interface NewTuning extends Omit<TuningVersion, 'number' | 'rolledBackAtMs'> {
  readonly weights: Weights;
}

/** Weights that answer beside those in force, without effect. */
export interface Shadow {
  readonly weights: Weights;
  readonly sinceMs: number;
}

/**
 * Where the weights are kept that were put into force. A port; `storage/` implements it. Every write is durable when
 * its promise resolves. The *top* is the newest version that was not rolled back, 0 where there is none: of two who
 * change the same top the first one wins.
 */
export interface TuningStore {
  /** Newest first. */
  versions(team: string): Promise<readonly TuningVersion[]>;
  /** The weights of a version, perhaps of an earlier format; undefined where it is not kept. */
  weights(team: string, number: number): Promise<Weights | undefined>;
  /**
   * Puts a version on the top, under the next number. Of too many the oldest go, first of all those that were rolled
   * back. Undefined: the top is another than `top`.
   */
  append(team: string, tuning: NewTuning, top: number): Promise<TuningVersion | undefined>;
  /** Takes the top back. False: it is another than `top`. */
  rollBack(team: string, top: number, atMs: number): Promise<boolean>;
  /** The one that was set last, perhaps of an earlier format; null where there is none. */
  shadow(team: string): Promise<Shadow | null>;
  /** Null: there is none any more. */
  setShadow(team: string, shadow: Shadow | null): Promise<void>;
}
