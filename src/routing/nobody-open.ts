import { type InstanceView, takesWork } from '../health/instance-view.js';
import { RETURNS_AFTER_MS } from '../health/return-times.js';

/** A reason names so many instances; the others are counted. */
const MOST_NAMED = 3;
/** When an agent without any instance is looked at again, in ms. */
const RETRY_WITHOUT_INSTANCES_MS = 10_000;

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
  return inService.reduce(
    (least, { state }) => Math.min(least, RETURNS_AFTER_MS[state]),
    Number.POSITIVE_INFINITY,
  );
}
