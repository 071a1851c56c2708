import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DoctorCheck } from './doctor.js';

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  readonly strategies: { has(name: string): boolean };
}

/** Capabilities whose `instance_strategy` nobody has given to this service: the default one chooses for them. */
export function unknownStrategies({ catalogue, strategies }: Sources): DoctorCheck {
  return {
    name: 'unknown_strategies',
    examine() {
      return [...catalogue().agents.values()].flatMap(({ manifest: { agentName, capabilities } }) =>
        capabilities.flatMap(({ id, instanceStrategy }) =>
          instanceStrategy === undefined || strategies.has(instanceStrategy)
            ? []
            : [
                {
                  severity: 'warning' as const,
                  subject: capabilityKey(agentName, id),
                  sentence: `The instance_strategy ${instanceStrategy} is unknown here, so the default one chooses.`,
                  advice: 'Correct the name, or give the strategy to createReach.',
                },
              ],
        ),
      );
    },
  };
}
