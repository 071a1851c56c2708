import type { Weights } from '../routing/weights.js';
import { checkWeights } from '../tuning/weights-fit.js';
import type { WeightsInForce } from '../tuning/weights-in-force.js';
import { camelCheckOf } from '../wire/check.js';
import {
  type ApplyOptions,
  ApplyOptionsSchema,
  type Rollback,
  RollbackSchema,
  type Tuning,
} from '../wire/tuning.js';
import { type OpenCalls, refuseUnlessFit } from './open-calls.js';

/** Which weights decide. */
export interface TuningCalls {
  /**
   * Those in force, those that were, newest first, and those in their shadow.
   * @throws ReachError STORE_UNAVAILABLE, CLOSED
   */
  tuning(): Promise<Tuning>;
  /** Those in force, as their file has them. */
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

const checkOptions = camelCheckOf(ApplyOptionsSchema);
const checkRollback = camelCheckOf(RollbackSchema);

/** @throws ReachError INVALID_REQUEST */
function refuseUnlessWeights(weights: unknown): asserts weights is Weights {
  refuseUnlessFit(checkWeights, weights);
}

/** What a caller changes afterwards in its own object changes nothing that decides. */
const own = (weights: Weights): Weights => structuredClone(weights);

export function tuningCalls(
  { weightsInForce }: { readonly weightsInForce: WeightsInForce },
  calls: OpenCalls,
): TuningCalls {
  return {
    async tuning() {
      calls.refuseIfClosing();
      return calls.track(weightsInForce.tuning());
    },

    weights: () => own(weightsInForce.current),

    async applyWeights(weights, options = {}) {
      calls.refuseIfClosing();
      refuseUnlessWeights(weights);
      refuseUnlessFit(checkOptions, options);
      return calls.track(weightsInForce.apply(own(weights), options));
    },

    async rollBackWeights(options = {}) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkRollback, options);
      return calls.track(weightsInForce.rollBack(options));
    },

    async shadowWeights(weights) {
      calls.refuseIfClosing();
      if (weights === null) return calls.track(weightsInForce.setShadow(null));
      refuseUnlessWeights(weights);
      return calls.track(weightsInForce.setShadow(own(weights)));
    },
  };
}
