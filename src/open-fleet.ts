import type { Clock } from './clock.js';
import type { Cluster } from './cluster/open-cluster.js';
import { InstanceTable } from './health/instance-table.js';
import { openHealthExchange } from './health/open-health-exchange.js';
import { openProber } from './health/open-prober.js';
import type { Lifecycle } from './lifecycle.js';
import type { ChangeStream } from './live/change-stream.js';
import { InstanceRegistry } from './registry/instance-registry.js';
import type { InstanceStore } from './registry/instance-store.js';
import type { SharedLeases } from './registry/shared-leases.js';

interface FleetContext {
  readonly store: InstanceStore;
  /** Whether instances are probed. */
  readonly probes: boolean;
  /** Where other replicas have the same store: leases are theirs too. */
  readonly leases: SharedLeases | undefined;
  readonly cluster: Cluster;
  readonly changeStream: ChangeStream;
  readonly team: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Puts together who exists and how they are: leases, probes, and what other replicas see. */
export function openFleet({ store, probes, leases, changeStream, ...context }: FleetContext) {
  const { cluster, team, clock, lifecycle, report } = context;
  const instances = new InstanceTable(clock, probes);
  instances.onChange((change) => changeStream.add(change));
  const instanceRegistry = new InstanceRegistry({ store, team, clock, report, shared: leases });
  instanceRegistry.follow(instances);
  lifecycle.add('instances', () => instanceRegistry.close());
  const notify = (sentence: string) => changeStream.notify(sentence);
  const { shares } = cluster;
  const prober = probes ? openProber({ instances, shares, notify, clock, lifecycle }) : undefined;
  const exchange =
    leases === undefined ? undefined : openHealthExchange({ ...cluster, instances, team, clock, lifecycle });
  return { instances, instanceRegistry, prober, exchange };
}
