import type { Manifest, StaticInstance } from '../manifest/schema.js';
import { spelt } from '../net/agent-address.js';
import { ByInstance } from './by-instance.js';
import type { Instance, InstanceChange } from './instance.js';

function instanceOf(agentName: string, given: StaticInstance, addrVersion: number): Instance {
  return Object.freeze({
    ...given,
    agentName,
    address: spelt(given.address),
    addrVersion,
    healthAddress: undefined,
    version: undefined,
    incarnation: undefined,
    origin: 'manifest',
    draining: false,
  });
}

/** The instances that manifests name, and what a new manifest changes of them. */
export class StaticInstances {
  readonly #instances = new ByInstance<Instance>();

  get(agentName: string, instanceId: string): Instance | undefined {
    return this.#instances.get(agentName, instanceId);
  }

  of(agentName: string): ReadonlyMap<string, Instance> {
    return this.#instances.of(agentName);
  }

  /** `version`: of the catalogue that brings the manifest, and so of each address that is new in it. */
  publish({ agentName, instances }: Manifest, version: number): InstanceChange[] {
    const named = new Set(instances.map(({ instanceId }) => instanceId));
    const gone = [...this.of(agentName).keys()].filter((instanceId) => !named.has(instanceId));
    return [
      ...gone.flatMap((instanceId) => this.#remove(agentName, instanceId)),
      ...instances.map((given) => this.#put(agentName, given, version)),
    ];
  }

  /** The manifest is gone, and they with it. */
  remove(agentName: string): InstanceChange[] {
    return [...this.of(agentName).keys()].flatMap((instanceId) => this.#remove(agentName, instanceId));
  }

  /** One whose place was another's until now, under a version of its address that is higher than that one's. */
  comeBack(agentName: string, instanceId: string, addrVersion: number): InstanceChange[] {
    const before = this.get(agentName, instanceId);
    if (before === undefined) return [];
    const instance = Object.freeze({ ...before, addrVersion });
    this.#instances.set(agentName, instanceId, instance);
    return [{ kind: 'joined', instance, startsDown: true }];
  }

  #put(agentName: string, given: StaticInstance, version: number): InstanceChange {
    const before = this.get(agentName, given.instanceId);
    const restarted = before?.address !== spelt(given.address);
    const instance = instanceOf(agentName, given, restarted ? version : before.addrVersion);
    this.#instances.set(agentName, given.instanceId, instance);
    return before === undefined
      ? { kind: 'joined', instance, startsDown: false }
      : { kind: 'changed', instance, restarted };
  }

  #remove(agentName: string, instanceId: string): InstanceChange[] {
    const instance = this.get(agentName, instanceId);
    if (instance === undefined) return [];
    this.#instances.delete(agentName, instanceId);
    return [{ kind: 'left', instance, reason: 'removed' }];
  }
}
