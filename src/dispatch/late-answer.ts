import type { Clock } from '../clock.js';
import type { LateAnswer } from '../requests/request-life.js';
import type { AgentCall, AgentTransport, FinalAnswer } from '../transport/agent-transport.js';

interface LateParts {
  readonly transport: AgentTransport;
  readonly clock: Clock;
}

/**
 * The answer to work that an agent took for later. Where it does not come within `leftMs`, or the request is cancelled
 * first, the agent is told that nobody wants it any more.
 */
export function awaitLate(
  late: LateAnswer,
  call: AgentCall,
  leftMs: number,
  { transport, clock }: LateParts,
): Promise<FinalAnswer> {
  const { signal } = call;
  return new Promise((resolve, reject) => {
    const end = () => {
      stopTimer();
      signal?.removeEventListener('abort', cancel);
    };
    const giveUp = (answer: FinalAnswer) => {
      end();
      void transport.cancel(call);
      resolve(answer);
    };
    const cancel = () => giveUp({ kind: 'cancelled' });
    const stopTimer = clock.after(Math.max(0, leftMs), () => giveUp(TOO_LATE));
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    late.answer.finally(end).then(resolve, reject);
  });
}

const TOO_LATE: FinalAnswer = {
  kind: 'timeout',
  code: 'DEADLINE_EXCEEDED',
  detail: 'the agent took the work for later, and did not answer in time',
  unreached: false,
  mayHaveExecuted: true,
  retryAfterMs: undefined,
};
