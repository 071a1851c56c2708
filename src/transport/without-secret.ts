import type { AgentAnswer } from './agent-transport.js';

/**
 * An answer in which an agent that complains does not repeat what it was shown: its words go into errors and logs.
 * Results are the agent's own, and are passed on as they are.
 */
export function withoutSecret(answer: AgentAnswer, secret: string): AgentAnswer {
  const hidden = (text: string) => text.replaceAll(secret, '***');
  switch (answer.kind) {
    case 'failed':
    case 'timeout':
      return { ...answer, detail: hidden(answer.detail) };
    case 'refused': {
      const errors = answer.errors.map(({ pointer, expected, received }) => ({
        pointer: hidden(pointer),
        expected: hidden(expected),
        received: hidden(received),
      }));
      return { ...answer, detail: hidden(answer.detail), errors };
    }
    default:
      return answer;
  }
}
