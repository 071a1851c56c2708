import type { ErrorCode } from '../errors.js';
import type { HttpFailure, HttpFailureReason } from '../net/http-outcome.js';
import type { FailedAnswer, FinalAnswer } from './agent-transport.js';

const CODES: Readonly<Record<Exclude<HttpFailureReason, 'cancelled'>, ErrorCode>> = {
  forbidden: 'ADDRESS_FORBIDDEN',
  unreachable: 'AGENT_UNREACHABLE',
  timeout: 'DEADLINE_EXCEEDED',
  reset: 'AGENT_FAILED',
  broken_off: 'AGENT_PROTOCOL',
  malformed: 'AGENT_PROTOCOL',
  too_large: 'AGENT_PROTOCOL',
  closed: 'CLOSED',
};

interface FailureFacts {
  readonly mayHaveExecuted: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** An answer from the agent itself that tells of a failure, or is one. */
export function failed(
  code: ErrorCode,
  detail: string,
  { mayHaveExecuted, retryAfterMs }: FailureFacts,
): FailedAnswer {
  return { kind: 'failed', code, detail, unreached: false, mayHaveExecuted, retryAfterMs };
}

/** Something came that the wire to an agent does not know; what the agent did before it cannot be told. */
export function notUnderstood(detail: string): FailedAnswer {
  return failed('AGENT_PROTOCOL', detail, { mayHaveExecuted: true });
}

/** An attempt that was given up before anything was sent. */
export function failedWithoutSending(code: ErrorCode, detail: string): FailedAnswer {
  return failed(code, detail, { mayHaveExecuted: false });
}

/** What it means for a dispatch that no whole answer came. */
export function failureAnswer({ reason, detail, sent, status }: HttpFailure): FinalAnswer {
  if (reason === 'cancelled') return { kind: 'cancelled' };
  return {
    kind: reason === 'timeout' ? 'timeout' : 'failed',
    // An agent that breaks while it says that it is broken has failed; its answer matters no more.
    code: reason === 'broken_off' && status !== undefined && status >= 500 ? 'AGENT_FAILED' : CODES[reason],
    detail,
    unreached: reason === 'unreachable' || reason === 'reset',
    mayHaveExecuted: sent,
    retryAfterMs: undefined,
  };
}
