import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import { LIMITS } from '../wire/limits.js';
import type { Decision } from '../wire/route.js';
import type { Session } from '../wire/sessions.js';
import { fits, type SessionState } from './session.js';

/** A session recalls what was said, not all of it. */
const MOST_CHARS = 2_000;

/** A request of a session that has ended. */
export interface EndedRequest {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly request: Pick<DispatchRequest, 'intent' | 'routeId' | 'userId'>;
  readonly answer: Pick<DispatchAnswer, 'reply' | 'entities'>;
  readonly decision: Pick<
    Decision,
    'routeId' | 'outcome' | 'resumed' | 'choices' | 'targetAgent' | 'capabilityId'
  >;
  /** Who completed it. */
  readonly affinity: Session['affinity'] | undefined;
}

/**
 * A session after one more round. A question that was open is answered or passed over by it. Where the entities of the
 * round, or then the rounds before it, make it too large, they are left out.
 */
export function withRound(session: SessionState, ended: EndedRequest): SessionState {
  const { request, answer, decision, affinity, at } = ended;
  const said = request.intent?.trim().slice(0, MOST_CHARS);
  // The answer to a question says nothing itself: it is for the intent that was asked about.
  const intent = said ?? (request.routeId === undefined ? null : session.intent);
  const { targetAgent: agentName, capabilityId } = decision;
  const reply = answer.reply?.slice(0, MOST_CHARS) ?? null;
  const rounds = [...session.rounds, { at, intent, agentName, capabilityId, reply }];
  const whole: SessionState = {
    ...session,
    userId: request.userId ?? session.userId,
    intent: decision.resumed ? session.intent : (intent ?? session.intent),
    entities: { ...session.entities, ...answer.entities },
    rounds: rounds.slice(-LIMITS.sessionRounds),
    confirmations: questionOf(decision),
    affinity: affinity ?? session.affinity,
  };
  if (fits(whole)) return whole;
  const withoutEntities = { ...whole, entities: session.entities };
  return fits(withoutEntities) ? withoutEntities : { ...withoutEntities, rounds: rounds.slice(-1) };
}

function questionOf({ routeId, outcome, choices = [] }: EndedRequest['decision']): Session['confirmations'] {
  if (outcome !== 'clarify' || choices.length === 0) return [];
  const offered = choices.map(({ agentName, capabilityId, name }) => ({ agentName, capabilityId, name }));
  return [{ routeId, choices: offered }];
}
