import { capabilityKey } from '../wire/capability-key.js';
import type { Session } from '../wire/sessions.js';

/** What is shorter is no name that anybody would type. */
const LEAST_CHARS = 3;

export interface Choice {
  readonly routeId: string;
  readonly agentName: string;
  readonly capabilityId: string;
}

const folded = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[\s.。!！)）]+$/u, '');

/**
 * Which of the choices of an open question a message names: by its number in the list, its identity, or its name or
 * a part of it that only one has. Undefined where it is no answer.
 */
export function choiceIn(message: string, confirmations: Session['confirmations']): Choice | undefined {
  const [question] = confirmations;
  if (question === undefined) return undefined;
  const { routeId, choices } = question;
  const text = folded(message);
  const identified = choices.filter(({ agentName, capabilityId }, place) =>
    [String(place + 1), capabilityId, capabilityKey(agentName, capabilityId)].map(folded).includes(text),
  );
  const named = text.length < LEAST_CHARS ? [] : choices.filter(({ name }) => folded(name).includes(text));
  const [only, second] = identified.length > 0 ? identified : named;
  if (only === undefined || second !== undefined) return undefined;
  return { routeId, agentName: only.agentName, capabilityId: only.capabilityId };
}
