import { capabilityKey } from '../wire/capability-key.js';
import type { Session } from '../wire/sessions.js';

/** What is shorter is no name that anybody would type. */
const LEAST_CHARS = 3;

export interface Choice {
  readonly routeId: string;
  readonly agentName: string;
  readonly capabilityId: string;
}

/** Places in the list as people say them in a chat: by a figure or a word, "2", "第二个", "the second one". */
const PLACES = [
  ['1', '一', 'first', 'one'],
  ['2', '二', 'second', 'two'],
  ['3', '三', 'third', 'three'],
  ['4', '四', 'fourth', 'four'],
  ['5', '五', 'fifth', 'five'],
];
const AROUND_A_PLACE = /^(?:第|#|the |no\.? ?|number |option )|(?: one| option|[个项条号])$/gu;

const folded = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[\s.。!！)）、]+$/u, '');

/**
 * Which of the choices of an open question a message names: by its number in the list, its identity, or its name or
 * a part of it that only one has. Undefined where it is no answer.
 */
export function choiceIn(message: string, confirmations: Session['confirmations']): Choice | undefined {
  const [question] = confirmations;
  if (question === undefined) return undefined;
  const { routeId, choices } = question;
  const text = folded(message);
  const placed = PLACES.findIndex((words) => words.includes(text.replace(AROUND_A_PLACE, '').trim()));
  const identified = choices.filter(
    ({ agentName, capabilityId }, place) =>
      place === placed || [capabilityId, capabilityKey(agentName, capabilityId)].map(folded).includes(text),
  );
  const named = text.length < LEAST_CHARS ? [] : choices.filter(({ name }) => folded(name).includes(text));
  const [only, second] = identified.length > 0 ? identified : named;
  if (only === undefined || second !== undefined) return undefined;
  return { routeId, agentName: only.agentName, capabilityId: only.capabilityId };
}
