import type { Clock } from '../clock.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { CarryOut, RequestLife } from '../requests/request-life.js';
import type { DispatchRequest } from '../wire/dispatch.js';
import { withRound } from './round.js';
import type { Sessions } from './sessions.js';

export interface RoundParts {
  readonly sessions: Sessions;
  readonly instances: InstanceViews;
  readonly clock: Clock;
}

/**
 * Keeps what came of a request in its session, before the answer is given. What cannot be kept is told by the answer,
 * and fails nothing; where the session could not be read, nothing is kept either.
 */
export function aroundCarryOut(carryOut: CarryOut, { sessions, instances, clock }: RoundParts): CarryOut {
  const carryOutInSession = async (request: DispatchRequest, life: RequestLife, sessionId: string) => {
    const answer = await carryOut(request, life);
    const { decision, attempts, sessionUnavailable } = answer;
    if (decision === null || sessionUnavailable) return answer;
    const by = attempts.findLast(({ outcome }) => outcome === 'completed');
    const views = by === undefined ? [] : instances.instancesOf(by.agentName);
    const version = views.find(({ instanceId }) => instanceId === by?.instanceId)?.version;
    const affinity = by && { agentName: by.agentName, version: version ?? null };
    const round = { at: new Date(clock.now()).toISOString(), request, answer, decision, affinity };
    try {
      await sessions.update(sessionId, (session) => withRound(session, round));
      return answer;
    } catch {
      return { ...answer, sessionUnavailable: true as const };
    }
  };
  return (request, life) => {
    const { sessionId } = request;
    return sessionId === undefined ? carryOut(request, life) : carryOutInSession(request, life, sessionId);
  };
}
