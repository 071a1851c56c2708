import type { Occasion } from '../../src/handoff/occasion.js';
import type { DispatchAnswer, DispatchRequest } from '../../src/wire/dispatch.js';
import type { Decision } from '../../src/wire/route.js';
import { decision as routed } from '../support/stand-in-reach.js';

export const HUMAN: Decision = {
  ...routed,
  outcome: 'human',
  reason: 'The best confidence is 0.31, below 0.75.',
  targetAgent: null,
  capabilityId: null,
  instanceId: null,
  targetAddress: null,
  addrVersion: null,
  ticketId: null,
};

/** The answer to a request that was routed to report-agent/weekly-summary. */
export function answer(more: Partial<DispatchAnswer> = {}): DispatchAnswer {
  return {
    requestId: 'rq_1',
    state: 'completed',
    degraded: false,
    decision: routed,
    attempts: [],
    waitedMs: 0,
    elapsedMs: 5,
    ...more,
  };
}

export function failedWith(code: string, more: Partial<DispatchAnswer> = {}): DispatchAnswer {
  const error = { code, detail: 'the secret plan of Ms Li', retryable: true, errors: [] };
  return answer({ state: 'failed', error, ...more });
}

/** What became of a request that was answered. */
export function answered(given: DispatchAnswer, request: DispatchRequest = {}): Occasion {
  return {
    request: { intent: 'last week as a report', ...request },
    requestId: given.requestId,
    traceparent: undefined,
    decision: given.decision ?? undefined,
    answer: given,
    refusal: undefined,
  };
}
