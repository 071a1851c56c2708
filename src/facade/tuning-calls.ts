import type { Weights } from '../routing/weights.js';
import type { ApplyOptions, Rollback, Tuning } from '../wire/tuning.js';

/** Which weights decide. */
export interface TuningCalls {
  /** Those in force, those that were, newest first, and those in their shadow. @throws ReachError CLOSED */
  tuning(): Tuning;
  /** Those in force, as their file has them. @throws ReachError CLOSED */
  weights(): Weights;
  /**
   * Puts weights, given as their file has them, into force at once: each decision is made by those from before or by
   * these. Of two who apply at the same time one wins. The same as those in force change nothing.
   * @throws ReachError INVALID_REQUEST, WEIGHTS_FOREIGN where they are of another model, TUNING_CONFLICT where others
   * are in force than the caller knew, or the same version has another content; STORE_UNAVAILABLE, CLOSED
   */
  applyWeights(weights: unknown, options?: ApplyOptions): Promise<Tuning>;
  /**
   * Takes the newest back: those before it are in force again.
   * @throws ReachError INVALID_REQUEST, TUNING_CONFLICT, TUNING_AT_FIRST, STORE_UNAVAILABLE, CLOSED
   */
  rollBackWeights(options?: Rollback): Promise<Tuning>;
  /**
   * Lets weights answer beside those in force, without effect; null: none any more.
   * @throws ReachError INVALID_REQUEST, WEIGHTS_FOREIGN, STORE_UNAVAILABLE, CLOSED
   */
  shadowWeights(weights: unknown): Promise<Tuning>;
}
