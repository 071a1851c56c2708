import { ALL_OURS, type Shares } from '../cluster/shares.js';
import { endpointUrl } from '../net/agent-address.js';
import { instanceKey } from '../registry/instance.js';
import type { InstanceRecord } from './instance-record.js';
import type { ProbeFollower, ProbeTarget } from './probe.js';

/** Mean time between two probes of an instance; of one that cannot be expected to answer, the latter. */
export const PROBED_EVERY_MS = 5_000;
const PROBED_EVERY_MS_WHILE_GONE = 10_000;

/** The part of a manifest that says where an instance is probed. */
interface HealthEndpoint {
  readonly healthEndpoint: string;
}

function targetOf({ instance, health }: InstanceRecord, manifest: HealthEndpoint | undefined) {
  const { agentName, instanceId, address, healthAddress } = instance;
  const url = healthAddress ?? (manifest && endpointUrl(address, manifest.healthEndpoint));
  if (url === undefined) return undefined;
  return { agentName, instanceId, url, everyMs: health.gone ? PROBED_EVERY_MS_WHILE_GONE : PROBED_EVERY_MS };
}

/** What there is to probe, told to whoever probes: only what is ours, and what changes. */
export class ProbeTargets {
  readonly #targets = new Map<InstanceRecord, ProbeTarget>();
  /** Those that the follower has been told of. */
  readonly #ours = new Set<InstanceRecord>();
  #follower: ProbeFollower | undefined;
  #shares: Shares = ALL_OURS;

  /** Told at once what is ours, and from then on what changes. */
  follow(follower: ProbeFollower, shares: Shares): void {
    this.#follower = follower;
    this.#shares = shares;
    shares.onChange(() => this.#shareOut());
    this.#shareOut();
  }

  /** Something happened to an instance or its manifest. Without a manifest only an address of its own can be probed. */
  renew(record: InstanceRecord, manifest: HealthEndpoint | undefined): void {
    const target = targetOf(record, manifest);
    if (target === undefined) {
      this.forget(record);
      return;
    }
    const told = this.#targets.get(record);
    if (told?.url === target.url && told.everyMs === target.everyMs) return;
    this.#targets.set(record, target);
    this.#tell(record, target);
  }

  probeNow(record: InstanceRecord): void {
    if (!this.#ours.has(record)) return;
    const { agentName, instanceId } = record.instance;
    this.#follower?.probeNow(agentName, instanceId);
  }

  forget(record: InstanceRecord): void {
    this.#targets.delete(record);
    this.#leave(record);
  }

  #shareOut(): void {
    for (const [record, target] of this.#targets) {
      const isOurs = this.#shares.owns(instanceKey(target));
      if (isOurs === this.#ours.has(record)) continue;
      if (isOurs) this.#tell(record, target);
      else this.#leave(record);
    }
  }

  #tell(record: InstanceRecord, target: ProbeTarget): void {
    if (this.#follower === undefined || !this.#shares.owns(instanceKey(target))) return;
    this.#ours.add(record);
    this.#follower.probe(target);
  }

  #leave(record: InstanceRecord): void {
    if (!this.#ours.delete(record)) return;
    const { agentName, instanceId } = record.instance;
    this.#follower?.forget(agentName, instanceId);
  }
}
