import type { FinalAnswer } from '../transport/agent-transport.js';
import type { AgentReply } from '../wire/requests.js';

/** What an agent says late as what it would have said at once; undefined while it works. */
export function finalAnswerOf({ state, error, ...told }: AgentReply): FinalAnswer | undefined {
  switch (state) {
    case 'processing':
      return undefined;
    case 'completed':
      return {
        kind: 'completed',
        result: told.result,
        reply: told.reply ?? undefined,
        needHumanHandoff: told.needHumanHandoff ?? false,
        entities: told.entities ?? undefined,
      };
    case 'failed': {
      const { detail = 'the agent says that it failed', errors = [] } = error ?? {};
      // What is wrong with the payload is no failure of the agent: it would have been a 422.
      if (errors.length > 0) return { kind: 'refused', detail, errors };
      return {
        kind: 'failed',
        code: 'AGENT_FAILED',
        detail,
        unreached: false,
        mayHaveExecuted: true,
        retryAfterMs: undefined,
      };
    }
  }
}
