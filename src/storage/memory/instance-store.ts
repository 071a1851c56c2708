import { ByInstance } from '../../registry/by-instance.js';
import type { InstanceName } from '../../registry/instance.js';
import type { InstanceStore, StoredInstance } from '../../registry/instance-store.js';
import { nextAddressVersion } from '../next-address-version.js';
import type { TeamVersions } from './team-versions.js';

/** Registered instances for as long as the process lives. */
export class MemoryInstanceStore implements InstanceStore {
  readonly #versions: TeamVersions;
  readonly #teams = new Map<string, ByInstance<StoredInstance>>();

  constructor(versions: TeamVersions) {
    this.#versions = versions;
  }

  async load(team: string): Promise<StoredInstance[]> {
    return Array.from(this.#team(team).values(), (instance) => structuredClone(instance));
  }

  async find(team: string, names: readonly InstanceName[]): Promise<StoredInstance[]> {
    const instances = this.#team(team);
    return names.flatMap(({ agentName, instanceId }) => {
      const found = instances.get(agentName, instanceId);
      return found === undefined ? [] : [structuredClone(found)];
    });
  }

  async save(
    team: string,
    instance: Omit<StoredInstance, 'addrVersion'>,
    expected: number | null,
  ): Promise<number> {
    const { agentName, instanceId } = instance;
    const instances = this.#team(team);
    const stored = instances.get(agentName, instanceId);
    const addrVersion = nextAddressVersion(instance, stored, expected, () => this.#versions.next(team));
    instances.set(agentName, instanceId, structuredClone({ ...instance, addrVersion }));
    return addrVersion;
  }

  async remove(team: string, names: readonly InstanceName[]): Promise<number> {
    const instances = this.#team(team);
    for (const { agentName, instanceId } of names) instances.delete(agentName, instanceId);
    return this.#versions.next(team);
  }

  #team(team: string): ByInstance<StoredInstance> {
    let instances = this.#teams.get(team);
    if (instances === undefined) {
      instances = new ByInstance();
      this.#teams.set(team, instances);
    }
    return instances;
  }
}
