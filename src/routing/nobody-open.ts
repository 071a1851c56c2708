import { type InstanceState, type InstanceView, takesWork } from '../health/instance-view.js';

/** A reason names so many instances; the others are counted. */
const MOST_NAMED = 3;
/** When an agent without any instance is looked at again, in ms. */
const RETRY_WITHOUT_INSTANCES_MS = 10_000;
/** After so long a breaker lets a call through. */
const RETRY_BLOCKED_MS = 10_000;

/** When an instance in a state may take work again, in ms: at the earliest where health decides, a guess where others do. */
const RETRY_MS: Readonly<Record<InstanceState, number>> = {
  up: RETRY_BLOCKED_MS,
  degraded: RETRY_BLOCKED_MS,
  busy: RETRY_BLOCKED_MS,
  fenced: 25_000,
  paused: 10_000,
  draining: 60_000,
  needs_auth: 60_000,
  down: 60_000,
  expired: 20_000,
};

function whyNot({ instanceId, weight, state, reason }: InstanceView, capabilityId: string): string {
  if (weight === 0) return `${instanceId} has weight 0`;
  return takesWork(state)
    ? `${instanceId} failed too many calls of ${capabilityId}`
    : `${instanceId} is ${state} (${reason})`;
}

/** Why none of these instances of an agent can take work of a capability now. */
export function whyNobody(views: readonly InstanceView[], capabilityId: string): string {
  if (views.length === 0) return 'no instance can take work now: there is none';
  const named = views.slice(0, MOST_NAMED).map((view) => whyNot(view, capabilityId));
  const others = views.length - named.length;
  return `no instance can take work now: ${named.join(', ')}${others > 0 ? `, and ${others} more` : ''}`;
}

/** When it makes sense to ask again whether one of these can take work, in ms. */
export function retryAfterMs(views: readonly InstanceView[]): number {
  const inService = views.filter(({ weight }) => weight > 0);
  if (inService.length === 0) return RETRY_WITHOUT_INSTANCES_MS;
  return Math.min(...inService.map(({ state }) => RETRY_MS[state]));
}
