import type { Clock } from '../clock.js';
import { carryOutBatch, type DispatchOne } from '../dispatch/batch.js';
import { type BatchAnswer, type BatchRequest, BatchRequestSchema } from '../wire/batch.js';
import { camelCheckOf } from '../wire/check.js';
import { type OpenCalls, refuseUnlessFit } from './open-calls.js';
import type { RequestCalls, RequestContext } from './request-calls.js';

/** Several requests at once. */
export interface BatchCalls {
  /**
   * Carries requests out side by side until all have ended, or as many are completed as its mode asks for: then the
   * others are cancelled. What is wrong with one of them stands in its place in the answer.
   * @throws ReachError INVALID_REQUEST where the batch as a whole does not fit; NOT_READY, CLOSED
   */
  batch(batch: BatchRequest, context?: RequestContext): Promise<BatchAnswer>;
}

interface BatchParts {
  readonly requests: Pick<RequestCalls, 'dispatch' | 'cancel'>;
  readonly clock: Clock;
}

const checkBatch = camelCheckOf(BatchRequestSchema);

export function batchCalls({ requests, clock }: BatchParts, calls: OpenCalls): BatchCalls {
  // Where it has ended meanwhile there is nothing to cancel.
  const cancel = (requestId: string) =>
    requests.cancel(requestId).then(
      () => {},
      () => {},
    );
  return {
    async batch(batch, { signal, ...context } = {}) {
      calls.refuseUnlessOpen();
      refuseUnlessFit(checkBatch, batch);
      const dispatchOne: DispatchOne = async (request, end) => {
        calls.refuseIfEnding();
        return requests.dispatch(request, { ...context, signal: end });
      };
      return carryOutBatch(batch, dispatchOne, { clock, signal, cancel });
    },
  };
}
