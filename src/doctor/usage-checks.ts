import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DoctorCheck } from './doctor.js';
import type { Usage } from './usage-log.js';

/** Fewer decisions than these say nothing about who is not needed. */
const TELLING_DECISIONS = 100;

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  readonly usage: () => Usage;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function spanText(ms: number): string {
  return ms < HOUR_MS ? `${Math.max(1, Math.round(ms / MINUTE_MS))} min` : `${Math.round(ms / HOUR_MS)} h`;
}

/** Agents that no decision has chosen. */
export function unusedAgents({ catalogue, usage }: Sources): DoctorCheck {
  return {
    name: 'unused_agents',
    examine() {
      const { decisions, forMs, chosen } = usage();
      if (decisions < TELLING_DECISIONS) return [];
      return [...catalogue().agents.keys()]
        .filter((agentName) => !chosen.has(agentName))
        .map((agentName) => ({
          severity: 'note',
          subject: agentName,
          sentence: `None of ${decisions} decisions in ${spanText(forMs)} chose ${agentName}.`,
          advice: 'Compare its examples with what people say (agent-reach watch), or remove it.',
        }));
    },
  };
}

/** Capabilities that were not even among the candidates of an answer. */
export function unreachedCapabilities({ catalogue, usage }: Sources): DoctorCheck {
  return {
    name: 'unreached_capabilities',
    examine() {
      const { decisions, forMs, reached } = usage();
      if (decisions < TELLING_DECISIONS) return [];
      return [...catalogue().agents.values()].flatMap(({ manifest: { agentName, capabilities } }) =>
        capabilities
          .map(({ id }) => capabilityKey(agentName, id))
          .filter((key) => !reached.has(key))
          .map((key) => ({
            severity: 'note' as const,
            subject: key,
            sentence: `None of ${decisions} queries in ${spanText(forMs)} had ${key} among its candidates.`,
            advice: 'Give it examples in the words of those who ask.',
          })),
      );
    },
  };
}
