import type { ShadowComparer } from '../tuning/shadow-comparer.js';
import { LIMITS } from '../wire/limits.js';
import type { ShadowComparison } from '../wire/shadow.js';
import { DEFAULT_HOURS, type OpenCalls, refuseUnlessWhole } from './open-calls.js';

/** What the weights in the shadow would have changed. */
export interface ShadowCalls {
  /**
   * Where the weights in force and those in their shadow differed in the last hours (24; 1 to 168), and who was right
   * where somebody has said it.
   * @throws ReachError INVALID_REQUEST, STORE_UNAVAILABLE, CLOSED
   */
  compareShadow(hours?: number): Promise<ShadowComparison>;
}

export function shadowCalls(
  { shadowComparer }: { readonly shadowComparer: ShadowComparer },
  calls: OpenCalls,
): ShadowCalls {
  return {
    async compareShadow(hours = DEFAULT_HOURS) {
      refuseUnlessWhole('/hours', hours, LIMITS.exportHours);
      calls.refuseIfClosing();
      return calls.track(shadowComparer.compare(hours, calls.endOf(undefined)));
    },
  };
}
