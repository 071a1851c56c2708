import type { Delivery } from '../requests/request-life.js';
import { failed } from '../transport/failure-answer.js';
import type { PastAttempt } from './retry-plan.js';

/**
 * The last attempt of a process that is gone, as the plan sees it. What is not idempotent goes on only where its agent
 * had given it back, and so was not executed.
 */
export function lostAttempt({ agentName, instanceId, idempotent }: Delivery): PastAttempt {
  return {
    target: { agentName, idempotent, expectedMs: undefined, isOpen: () => false },
    answer: failed(
      'NODE_LOST',
      `the process that carried it out has ended after ${instanceId} was given it`,
      {
        mayHaveExecuted: idempotent,
      },
    ),
  };
}
