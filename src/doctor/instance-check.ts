import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { type InstanceName, instanceKey } from '../registry/instance.js';
import type { DoctorCheck } from './doctor.js';

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  readonly instances: () => Iterable<InstanceName>;
}

/** Instances of agents that have published nothing: nobody can be sent to them. */
export function instancesWithoutManifest({ catalogue, instances }: Sources): DoctorCheck {
  return {
    name: 'instances_without_manifest',
    examine() {
      const { agents } = catalogue();
      return [...instances()]
        .filter(({ agentName }) => !agents.has(agentName))
        .map(({ agentName, instanceId }) => ({
          severity: 'warning',
          subject: instanceKey({ agentName, instanceId }),
          sentence: `The instance ${instanceId} is registered for ${agentName}, which has no manifest.`,
          advice: `Publish the manifest of ${agentName}, or correct the name under which it registers.`,
        }));
    },
  };
}
