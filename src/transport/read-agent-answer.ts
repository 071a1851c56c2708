import type { ErrorCode } from '../errors.js';
import type { HttpResponse } from '../net/http-outcome.js';
import { readComplaint } from './agent-complaint.js';
import type { AgentAnswer } from './agent-transport.js';
import { mediaTypeOf, readAnswerBody } from './answer-body.js';
import { readRetryAfter } from './retry-after.js';

interface FailureFacts {
  readonly mayHaveExecuted: boolean;
  readonly retryAfterMs?: number | undefined;
}

function failed(
  code: ErrorCode,
  detail: string,
  { mayHaveExecuted, retryAfterMs }: FailureFacts,
): AgentAnswer {
  return { kind: 'failed', code, detail, unreached: false, mayHaveExecuted, retryAfterMs };
}

/** Something came that the wire to an agent does not know; what the agent did before it cannot be told. */
function notUnderstood(detail: string): AgentAnswer {
  return failed('AGENT_PROTOCOL', detail, { mayHaveExecuted: true });
}

function readResult(answer: HttpResponse): AgentAnswer {
  if (mediaTypeOf(answer) === 'text/event-stream') {
    return notUnderstood('the agent answered with a stream of events, which is not understood yet');
  }
  const body = readAnswerBody(answer);
  if (body.kind === 'unreadable') return notUnderstood(`the agent answered with ${body.fault}`);
  const { result, reply, need_human_handoff: handoff } = body.value;
  if (result === undefined) return notUnderstood('the agent answered with JSON that has no "result"');
  if (reply !== undefined && reply !== null && typeof reply !== 'string') {
    return notUnderstood('the agent answered with a "reply" that is not a string');
  }
  if (handoff !== undefined && handoff !== null && typeof handoff !== 'boolean') {
    return notUnderstood('the agent answered with a "need_human_handoff" that is not true or false');
  }
  return { kind: 'completed', result, reply: reply ?? undefined, needHumanHandoff: handoff ?? false };
}

/** What an agent's HTTP answer means: the table of statuses of the wire to an agent. `nowMs`: wall time. */
export function readAgentAnswer(answer: HttpResponse, nowMs: number): AgentAnswer {
  const { status, headers } = answer;
  if (status === 200) return readResult(answer);
  if (status === 202)
    return notUnderstood('the agent took the work for later (202), which is not understood yet');
  if (status < 300) return notUnderstood(`the agent answered with status ${status}, not 200`);
  if (status < 400) return notUnderstood(`the agent redirects (${status}), which is never followed`);

  const complaint = readComplaint(answer);
  const said = complaint.detail === undefined ? '' : `: ${complaint.detail}`;
  switch (status) {
    case 400:
    case 422:
      return { kind: 'refused', detail: `the agent refused the payload${said}`, errors: complaint.errors };
    case 401:
    case 403:
      return failed('AGENT_NEEDS_AUTH', `the agent asks for a login (${status})${said}`, {
        mayHaveExecuted: false,
      });
    case 404:
      return failed('AGENT_FAILED', `the capability is gone from the agent (404)${said}`, {
        mayHaveExecuted: false,
      });
    case 429:
    case 503:
      return failed('AGENT_BUSY', `the agent is busy (${status})${said}`, {
        mayHaveExecuted: false,
        retryAfterMs: readRetryAfter(headers['retry-after'], nowMs),
      });
    default:
      // 4xx: the agent turned the request away. 5xx: it broke while at work, or after it.
      return failed('AGENT_FAILED', `the agent answered with status ${status}${said}`, {
        mayHaveExecuted: status >= 500,
      });
  }
}
