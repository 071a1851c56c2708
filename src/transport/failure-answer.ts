import type { ErrorCode } from '../errors.js';
import type { HttpFailure, HttpFailureReason } from '../net/http-outcome.js';
import type { AgentAnswer } from './agent-transport.js';

type FailedAnswer = Extract<AgentAnswer, { kind: 'failed' | 'timeout' }>;

const CODES: Readonly<Record<HttpFailureReason, ErrorCode>> = {
  forbidden: 'ADDRESS_FORBIDDEN',
  unreachable: 'AGENT_UNREACHABLE',
  timeout: 'DEADLINE_EXCEEDED',
  reset: 'AGENT_FAILED',
  broken_off: 'AGENT_PROTOCOL',
  malformed: 'AGENT_PROTOCOL',
  too_large: 'AGENT_PROTOCOL',
  cancelled: 'CLOSED',
  closed: 'CLOSED',
};

/** An attempt that was given up before anything was sent. */
export function failedWithoutSending(code: ErrorCode, detail: string): FailedAnswer {
  return { kind: 'failed', code, detail, unreached: false, mayHaveExecuted: false, retryAfterMs: undefined };
}

/** What it means for a dispatch that no whole answer came. */
export function failureAnswer({ reason, detail, sent, status }: HttpFailure): FailedAnswer {
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
