import { quoted, ReachError } from '../errors.js';
import type { Capability } from '../manifest/schema.js';
import type { Agent, CatalogueSnapshot } from './catalogue.js';
import { didYouMean } from './nearest-names.js';

/** @throws ReachError AGENT_UNKNOWN */
export function agentIn({ agents }: CatalogueSnapshot, agentName: string): Agent {
  const agent = agents.get(agentName);
  if (agent !== undefined) return agent;
  const hint = didYouMean(agentName, agents.keys());
  throw new ReachError('AGENT_UNKNOWN', `There is no agent ${quoted(agentName)}.${hint}`);
}

/** A capability by its identity, `agent_name/id`. @throws ReachError AGENT_UNKNOWN, CAPABILITY_UNKNOWN */
export function capabilityIn(catalogue: CatalogueSnapshot, agentName: string, id: string): Capability {
  const { capabilities } = agentIn(catalogue, agentName).manifest;
  const capability = capabilities.find((candidate) => candidate.id === id);
  if (capability !== undefined) return capability;
  const ids = capabilities.map((candidate) => candidate.id);
  const hint = didYouMean(id, ids) || ` It has ${some(ids)}.`;
  throw new ReachError('CAPABILITY_UNKNOWN', `${agentName} has no capability ${quoted(id)}.${hint}`);
}

function some(names: readonly string[]): string {
  const rest = names.length - 5;
  return names.slice(0, 5).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
