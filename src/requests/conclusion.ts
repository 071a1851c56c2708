import { ERRORS, type ErrorCode, type FieldError, type ReachError } from '../errors.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { DispatchAnswer } from '../wire/dispatch.js';

/** How a request ends: the part of its answer that says what came of it. */
export type Conclusion = Pick<DispatchAnswer, 'state' | 'result' | 'reply' | 'entities' | 'error'>;

interface FailureFacts {
  readonly errors?: readonly FieldError[];
  readonly retryAfterMs?: number | undefined;
}

function errorOf(
  code: ErrorCode,
  detail: string,
  { errors = [], retryAfterMs }: FailureFacts,
): NonNullable<DispatchAnswer['error']> {
  return {
    code,
    detail,
    retryable: ERRORS[code].retryable,
    errors: errors.map((fieldError) => ({ ...fieldError })),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** What was thrown, as an answer says it. */
export function problemOf(problem: ReachError): NonNullable<DispatchAnswer['error']> {
  return errorOf(problem.code, problem.message, problem);
}

export function failed(code: ErrorCode, detail: string, facts: FailureFacts = {}): Conclusion {
  return { state: 'failed', error: errorOf(code, detail, facts) };
}

/** What the last answer of an agent concludes. */
export function concludedByAnswer(answer: FinalAnswer): Conclusion {
  switch (answer.kind) {
    case 'completed': {
      const { result, reply, entities, needHumanHandoff } = answer;
      const state = needHumanHandoff ? 'handed_off' : 'completed';
      return { state, result, ...(reply !== undefined && { reply }), ...(entities && { entities }) };
    }
    case 'cancelled':
      return { state: 'cancelled' };
    case 'refused':
      return failed('PAYLOAD_INVALID', answer.detail, { errors: answer.errors });
    case 'failed':
    case 'timeout':
      return failed(answer.code, answer.detail, { retryAfterMs: answer.retryAfterMs });
  }
}
