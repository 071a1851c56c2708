import type { CallOutcome } from '../health/instance-view.js';
import type { AgentAnswer } from '../transport/agent-transport.js';

/** What an answer tells health of the instance that gave it, or did not. */
export function outcomeOf(answer: AgentAnswer): CallOutcome['outcome'] {
  if (answer.kind !== 'failed') return answer.kind;
  if (answer.code === 'AGENT_BUSY') return 'busy';
  if (answer.code === 'AGENT_NEEDS_AUTH') return 'needs_auth';
  return answer.unreached ? 'unreachable' : 'failed';
}
