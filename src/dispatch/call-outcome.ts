import type { CallOutcome } from '../health/instance-view.js';
import type { FinalAnswer } from '../transport/agent-transport.js';

/** What an answer tells health of the instance that gave it, or did not. */
export function outcomeOf(answer: FinalAnswer): CallOutcome['outcome'] {
  if (answer.kind !== 'failed') return answer.kind;
  if (answer.code === 'AGENT_BUSY') return 'busy';
  if (answer.code === 'AGENT_NEEDS_AUTH') return 'needs_auth';
  // We kept it from being sent.
  if (answer.code === 'ADDRESS_FORBIDDEN' || answer.code === 'CLOSED') return 'cancelled';
  return answer.unreached ? 'unreachable' : 'failed';
}
