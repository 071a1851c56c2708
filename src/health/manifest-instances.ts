import type { StaticInstance } from '../manifest/schema.js';
import type { CatalogueChange } from '../registry/catalogue.js';
import type { Instance, InstanceChange } from '../registry/instance.js';

function instanceOf(agentName: string, given: StaticInstance, addrVersion: number): Instance {
  return {
    ...given,
    agentName,
    addrVersion,
    healthAddress: undefined,
    version: undefined,
    incarnation: undefined,
    origin: 'manifest',
    draining: false,
  };
}

/**
 * What a change of the catalogue changes of the instances that manifests name. `version`: of that catalogue, and so of
 * each address that is new in it; `knownVersion`: of the address that an instance of the agent has.
 */
export function manifestInstanceChanges(
  change: CatalogueChange,
  version: number,
  knownVersion: (instanceId: string) => number | undefined,
): InstanceChange[] {
  const { agentName, instances } = change.agent.manifest;
  const named = new Map(instances.map((given) => [given.instanceId, given]));
  const left = (given: StaticInstance): InstanceChange => {
    const instance = instanceOf(agentName, given, knownVersion(given.instanceId) ?? version);
    return { kind: 'left', instance, reason: 'removed' };
  };
  if (change.kind === 'removed') return instances.map(left);

  const before = new Map(change.before?.manifest.instances.map((given) => [given.instanceId, given]));
  const gone = [...before.values()].filter(({ instanceId }) => !named.has(instanceId));
  const here = instances.map((given): InstanceChange => {
    const known = before.get(given.instanceId);
    const restarted = known?.address !== given.address;
    const kept = restarted ? undefined : knownVersion(given.instanceId);
    const instance = instanceOf(agentName, given, kept ?? version);
    return known === undefined
      ? { kind: 'joined', instance, startsDown: false }
      : { kind: 'changed', instance, restarted };
  });
  return [...gone.map(left), ...here];
}
