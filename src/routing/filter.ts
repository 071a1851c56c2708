import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { RouteRequest } from '../wire/route.js';

/** Until callers have keys, everyone asks as this team. */
const CALLER_TEAM = 'default';

type Filter = NonNullable<RouteRequest['filter']>;

/** Why the caller may not even see it; undefined where it may. */
export function hiddenBy({ agent }: Pick<IndexedCapability, 'agent'>): string | undefined {
  const { team, visibleTo } = agent.manifest;
  const visible = team === CALLER_TEAM || visibleTo.includes('*') || visibleTo.includes(CALLER_TEAM);
  return visible ? undefined : `not visible to team ${CALLER_TEAM}`;
}

/** Why a capability may not be chosen at all, as a short reason; undefined where it may. */
export function filteredBy({ agent, capability }: IndexedCapability, filter: Filter): string | undefined {
  const hidden = hiddenBy({ agent });
  if (hidden !== undefined) return hidden;
  const { agentName, team, labels } = agent.manifest;
  if (filter.agents !== undefined && !filter.agents.includes(agentName))
    return 'filter: not one of the agents asked for';
  if (filter.team !== undefined && filter.team !== team) return `filter: team is ${team}`;
  const tag = filter.tags?.find((wanted) => !capability.tags.includes(wanted));
  if (tag !== undefined) return `filter: has no tag ${tag}`;
  const label = Object.entries(filter.labels ?? {}).find(([name, value]) => labels[name] !== value);
  if (label !== undefined)
    return `filter: label ${label[0]} is ${labels[label[0]] ?? 'not set'}, not ${label[1]}`;
  return undefined;
}
