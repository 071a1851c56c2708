import type { Manifest, StaticInstance } from '../manifest/schema.js';
import type { CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import type { CallObserver, CallOutcome, InstanceView, InstanceViews } from './instance-view.js';

/** Share of the newest answer in the smoothed latency: about the last ten answers count. */
const LATENCY_WEIGHT = 0.2;

/** One instance at one address. */
interface InstanceRecord {
  readonly addrVersion: number;
  instance: StaticInstance;
  pending: number;
  latencyMs: number | undefined;
  /** Undefined when something has changed since it was last asked for. */
  view: InstanceView | undefined;
}

interface AgentRecord {
  manifest: Manifest;
  instances: ReadonlyMap<string, InstanceRecord>;
  views: readonly InstanceView[] | undefined;
}

const NO_VIEWS: readonly InstanceView[] = [];

function viewOf({ agentName, maxConcurrency }: Manifest, record: InstanceRecord): InstanceView {
  const { instanceId, address, weight, region, labels } = record.instance;
  const { addrVersion, pending, latencyMs } = record;
  return {
    agentName,
    instanceId,
    address,
    addrVersion,
    weight,
    region,
    labels,
    // What a manifest names counts as up: nobody probes it.
    state: 'up',
    reachability: 1,
    pending,
    maxConcurrency,
    latencyMs,
  };
}

/**
 * All instances: those that the catalogue's manifests name, with what our own calls show of them. Views are
 * rebuilt when they are asked for after a change, so asking for many agents in every route costs next to nothing.
 */
export class InstanceTable implements CatalogueFollower, InstanceViews, CallObserver {
  readonly #agents = new Map<string, AgentRecord>();

  async prepare(): Promise<void> {}

  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const { kind, agent } of changes) {
      if (kind === 'removed') this.#agents.delete(agent.manifest.agentName);
      else this.#publish(agent.manifest, snapshot.version);
    }
  }

  instancesOf(agentName: string): readonly InstanceView[] {
    const agent = this.#agents.get(agentName);
    if (agent === undefined) return NO_VIEWS;
    agent.views ??= Array.from(agent.instances.values(), (record) => {
      record.view ??= viewOf(agent.manifest, record);
      return record.view;
    });
    return agent.views;
  }

  begin(agentName: string, instanceId: string): (outcome: CallOutcome) => void {
    const agent = this.#agents.get(agentName);
    const record = agent?.instances.get(instanceId);
    // Removed between the decision and the call: the call goes on, nothing is left to learn from it.
    if (agent === undefined || record === undefined) return () => {};
    const changed = () => {
      record.view = undefined;
      agent.views = undefined;
    };
    record.pending += 1;
    changed();
    return ({ outcome, elapsedMs }) => {
      record.pending -= 1;
      // Only answers have a latency; a quick failure must not make an instance look fast.
      if (outcome === 'completed' && elapsedMs !== undefined) {
        record.latencyMs =
          (record.latencyMs ?? elapsedMs) * (1 - LATENCY_WEIGHT) + elapsedMs * LATENCY_WEIGHT;
      }
      changed();
    };
  }

  /**
   * An instance that keeps its address keeps what is known of it; a new address starts clean. Its version is
   * that of the catalogue which brought it, so it never shrinks: not by a removal, not by a restart.
   */
  #publish(manifest: Manifest, version: number): void {
    const agent = this.#agents.get(manifest.agentName);
    const instances = new Map<string, InstanceRecord>();
    for (const instance of manifest.instances) {
      const known = agent?.instances.get(instance.instanceId);
      if (known?.instance.address === instance.address) {
        known.instance = instance;
        known.view = undefined;
        instances.set(instance.instanceId, known);
      } else {
        const fresh = { addrVersion: version, instance, pending: 0, latencyMs: undefined, view: undefined };
        instances.set(instance.instanceId, fresh);
      }
    }
    if (agent === undefined) {
      this.#agents.set(manifest.agentName, { manifest, instances, views: undefined });
    } else {
      agent.manifest = manifest;
      agent.instances = instances;
      agent.views = undefined;
    }
  }
}
