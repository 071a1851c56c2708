import { ReachError } from '../errors.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import { type Conclusion, concludedByAnswer, problemOf } from './conclusion.js';

interface Told {
  readonly requestId: string;
  readonly elapsedMs: number;
}

/** The answer of a request that no carrying out has given one. */
function undecided({ requestId, elapsedMs }: Told, conclusion: Conclusion): DispatchAnswer {
  return { requestId, ...conclusion, degraded: false, decision: null, attempts: [], waitedMs: 0, elapsedMs };
}

export function endedError(requestId: string): ReachError {
  return new ReachError('REQUEST_ENDED', `The request ${requestId} has ended.`);
}

export function unknownRequest(requestId: string): ReachError {
  return new ReachError('REQUEST_UNKNOWN', `No request ${requestId} is known.`);
}

/** That somebody waited for one of which nothing is kept any more. */
export function lostRequest(requestId: string): ReachError {
  const detail = `The request ${requestId} is not kept any more: it was not let in, or the store has lost it.`;
  return new ReachError('STORE_UNAVAILABLE', detail);
}

/** That a request has not ended, though nobody here is at it any more. */
export function leftError(requestId: string): ReachError {
  return new ReachError('CLOSED', `Agent-Reach is shutting down; its next start goes on with ${requestId}.`);
}

/** That another replica carries it out by now. */
export function takenError(requestId: string): ReachError {
  return new ReachError('STORE_UNAVAILABLE', `The request ${requestId} was taken over by another replica.`);
}

export function failedAnswer(told: Told, error: ReachError): DispatchAnswer {
  return undecided(told, { state: 'failed', error: problemOf(error) });
}

/** Of what was carried out of it, what is known. Work that ended after it was cancelled has no result. */
export function cancelledAnswer(told: Told, carriedOut?: DispatchAnswer): DispatchAnswer {
  if (carriedOut === undefined) return undecided(told, { state: 'cancelled' });
  const { result: _, reply: __, entities: ___, error: ____, ...rest } = carriedOut;
  return { ...rest, state: 'cancelled', degraded: false };
}

/** The answer of a request whose agent answered after a restart: nobody knows the decision any more. */
export function lateAnswer(told: Told, answer: FinalAnswer): DispatchAnswer {
  return undecided(told, concludedByAnswer(answer));
}
