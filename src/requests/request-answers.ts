import { ERRORS, type ErrorCode, type FieldError, ReachError } from '../errors.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { DispatchAnswer } from '../wire/dispatch.js';

type Ending = Pick<DispatchAnswer, 'state' | 'result' | 'reply' | 'error'>;

interface Told {
  readonly requestId: string;
  readonly elapsedMs: number;
}

function failure(
  code: ErrorCode,
  detail: string,
  errors: readonly FieldError[],
  retryAfterMs?: number,
): Ending {
  const { retryable } = ERRORS[code];
  const facts = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { state: 'failed', error: { code, detail, retryable, errors: [...errors], ...facts } };
}

/** The answer of a request that no carrying out has given one. */
function undecided({ requestId, elapsedMs }: Told, ending: Ending): DispatchAnswer {
  return { requestId, ...ending, degraded: false, decision: null, attempts: [], waitedMs: 0, elapsedMs };
}

export function endedError(requestId: string): ReachError {
  return new ReachError('REQUEST_ENDED', `The request ${requestId} has ended.`);
}

/** That a request has not ended, though nobody here is at it any more. */
export function leftError(requestId: string): ReachError {
  return new ReachError('CLOSED', `Agent-Reach is shutting down; its next start goes on with ${requestId}.`);
}

export function failedAnswer(
  told: Told,
  { code, message, errors, retryAfterMs }: ReachError,
): DispatchAnswer {
  return undecided(told, failure(code, message, errors, retryAfterMs));
}

/** Of what was carried out of it, what is known. Work that ended after it was cancelled has no result. */
export function cancelledAnswer(told: Told, carriedOut?: DispatchAnswer): DispatchAnswer {
  if (carriedOut === undefined) return undecided(told, { state: 'cancelled' });
  const { result: _, reply: __, error: ___, ...rest } = carriedOut;
  return { ...rest, state: 'cancelled', degraded: false };
}

/** The answer of a request whose agent answered after a restart: nobody knows the decision any more. */
export function lateAnswer(told: Told, answer: FinalAnswer): DispatchAnswer {
  return undecided(told, endingOf(answer));
}

function endingOf(answer: FinalAnswer): Ending {
  switch (answer.kind) {
    case 'completed': {
      const { result, reply, needHumanHandoff } = answer;
      const state = needHumanHandoff ? 'handed_off' : 'completed';
      return { state, result, ...(reply !== undefined && { reply }) };
    }
    case 'cancelled':
      return { state: 'cancelled' };
    case 'refused':
      return failure('PAYLOAD_INVALID', answer.detail, answer.errors);
    case 'failed':
    case 'timeout':
      return failure(answer.code, answer.detail, [], answer.retryAfterMs);
  }
}
