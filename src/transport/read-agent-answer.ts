import type { HttpResponse } from '../net/http-outcome.js';
import { readComplaint } from './agent-complaint.js';
import type { AcceptedAnswer, AgentAnswer, FinalAnswer } from './agent-transport.js';
import { readAnswerBody } from './answer-body.js';
import { failed, notUnderstood } from './failure-answer.js';
import { readResult } from './read-result.js';
import { readRetryAfter } from './retry-after.js';

function readCompleted(answer: HttpResponse): FinalAnswer {
  const body = readAnswerBody(answer);
  return body.kind === 'read'
    ? readResult(body.value)
    : notUnderstood(`the agent answered with ${body.fault}`);
}

/** What is not a number from 0 on is left out: the work has been taken all the same. */
function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function readAccepted(answer: HttpResponse): AcceptedAnswer {
  const body = readAnswerBody(answer);
  const said = body.kind === 'read' ? body.value : {};
  return {
    kind: 'accepted',
    queueRemaining: amountOf(said.queue_remaining),
    estimatedDelayMs: amountOf(said.estimated_delay_ms),
  };
}

interface Asked {
  /** Whether the agent was told where to answer later. */
  readonly mayAnswerLater: boolean;
  /** Wall time. */
  readonly nowMs: number;
}

/** What an agent's HTTP answer means: the table of statuses of the wire to an agent. */
export function readAgentAnswer(answer: HttpResponse, { mayAnswerLater, nowMs }: Asked): AgentAnswer {
  const { status, headers } = answer;
  if (status === 200) return readCompleted(answer);
  if (status === 202) {
    return mayAnswerLater
      ? readAccepted(answer)
      : notUnderstood('the agent took the work for later (202), and was not told where to answer then');
  }
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
