import type { InstanceViews } from '../health/instance-view.js';
import { type Conclusion, concludedByAnswer, failed } from '../requests/conclusion.js';
import { retryAfterMs as whenOpen, whyNobody } from '../routing/nobody-open.js';
import type { Decision } from '../wire/route.js';
import type { CarriedOut } from './carry-out.js';
import type { Target } from './target.js';

/** What a decision concludes by itself; undefined where it names somebody to do the work. */
export function concludedByDecision({ outcome, reason, retryAfterMs }: Decision): Conclusion | undefined {
  switch (outcome) {
    case 'routed':
    case 'fallback':
      return undefined;
    case 'clarify':
    case 'human':
      return { state: 'handed_off' };
    case 'unreachable':
      return failed('AGENT_UNREACHABLE', reason, { retryAfterMs });
  }
}

/** Why a failed attempt was the last one, for whoever reads the error. */
const WHY_LAST: Readonly<Record<CarriedOut['stopped'], string>> = {
  answered: '',
  not_repeatable: 'not tried again, as the work may have been done or nobody else would do better',
  attempts_used: 'no attempt is left',
  no_time: 'no time is left to try again',
  no_instance: 'no other instance can take work',
  no_slot: 'no other instance has a free slot',
  full: 'no other instance has a free slot',
  budget_used: 'too much is being tried again already',
};

/** `detail` may end with an agent's own words, and so with its full stop. */
function withWhyLast(detail: string, stopped: CarriedOut['stopped']): string {
  const why = WHY_LAST[stopped];
  return why === '' ? detail : `${detail.replace(/[.。]$/, '')}; ${why}`;
}

/** What it concludes that nobody was asked. */
function concludedUnasked(
  { stopped, retryAfterMs }: CarriedOut,
  { agent, capability }: Target,
  instances: InstanceViews,
): Conclusion {
  const { agentName } = agent.manifest;
  switch (stopped) {
    case 'full':
      return failed('OVERLOADED', `${agentName} has as much waiting for it as it may`, { retryAfterMs });
    case 'no_slot':
      return failed(
        'DEADLINE_EXCEEDED',
        `no slot of ${agentName} became free in time, or its max_qps let nothing more through`,
      );
    case 'no_time':
      return failed('DEADLINE_EXCEEDED', 'the deadline passed before the work could begin');
    default: {
      const views = instances.instancesOf(agentName);
      return failed('AGENT_UNREACHABLE', whyNobody(views, capability.id), {
        retryAfterMs: whenOpen(views),
      });
    }
  }
}

/** What the attempts at a target conclude. */
export function concludedByAttempts(
  carried: CarriedOut,
  target: Target,
  instances: InstanceViews,
): Conclusion {
  const { answer, stopped } = carried;
  if (answer === undefined) return concludedUnasked(carried, target, instances);
  return concludedByAnswer(
    'code' in answer ? { ...answer, detail: withWhyLast(answer.detail, stopped) } : answer,
  );
}
