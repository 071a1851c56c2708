import type { AgentList, AgentSummary, ManifestHistory } from '../wire/agents.js';
import { momentOf } from './local-time.js';
import { type Column, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { heading: 'agent', align: 'left' },
  { heading: 'version', align: 'right' },
  { heading: 'from', align: 'left' },
  { heading: 'instances', align: 'left' },
  { heading: 'capabilities', align: 'left' },
];

/** More ids than these make a line that nobody reads. */
const SHOWN = 4;

function instances({ instances: all }: AgentSummary): string {
  if (all.length === 0) return 'none';
  const states = new Map<string, number>();
  for (const { state } of all) states.set(state, (states.get(state) ?? 0) + 1);
  return [...states].map(([state, count]) => `${count} ${state}`).join(', ');
}

function capabilities({ capabilities: all }: AgentSummary): string {
  const ids = all.slice(0, SHOWN).map(({ id }) => id);
  return all.length > SHOWN ? `${ids.join(', ')} and ${all.length - SHOWN} more` : ids.join(', ');
}

/** The catalogue as a table. Ends with a newline. */
export function agentsText({ agents }: AgentList): string {
  if (agents.length === 0) return 'no agents\n';
  const rows = agents.map((agent) => [
    agent.agentName,
    String(agent.manifestVersion),
    agent.source,
    instances(agent),
    capabilities(agent),
  ]);
  return table(COLUMNS, rows);
}

const HISTORY_COLUMNS: readonly Column[] = [
  { heading: 'version', align: 'right' },
  { heading: 'published', align: 'left' },
  { heading: 'from', align: 'left' },
  { heading: 'catalogue', align: 'right' },
  { heading: 'serves', align: 'left' },
];

/** The versions of a manifest as a table, newest first. Ends with a newline. */
export function historyText({ manifests }: ManifestHistory): string {
  const rows = manifests.map(({ manifestVersion, publishedAt, source, catalogueVersion, current }) => [
    String(manifestVersion),
    momentOf(publishedAt),
    source,
    String(catalogueVersion ?? '-'),
    current ? 'yes' : '',
  ]);
  return table(HISTORY_COLUMNS, rows);
}
