import type { Clock } from './clock.js';
import type { Cluster } from './cluster/open-cluster.js';
import type { HeartbeatListener } from './registry/instance.js';
import type { InstanceRegistry } from './registry/instance-registry.js';
import type { Registry } from './registry/registry.js';
import { SharedLeases } from './registry/shared-leases.js';
import { StoreFollower } from './registry/store-follower.js';
import type { SharedPorts } from './storage/stores.js';
import type { WeightsInForce } from './tuning/weights-in-force.js';

interface FollowingContext {
  readonly shared: Pick<SharedPorts, 'feed' | 'leases'>;
  readonly cluster: Pick<Cluster, 'bus' | 'shares'>;
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** What is kept in step with the store. */
interface Followed {
  readonly registry: Registry;
  readonly instanceRegistry: InstanceRegistry;
  readonly instances: HeartbeatListener;
  readonly weightsInForce: WeightsInForce;
}

/** Puts together what keeps a replica in step with what the others change in their store. */
export function openFollowing({ shared, cluster, team, clock, report }: FollowingContext) {
  let followed: Followed | undefined;
  const follower = new StoreFollower({
    feed: shared.feed,
    team,
    clock,
    async apply({ agents, instances, weights, seq }) {
      if (agents.size > 0) await followed?.registry.takeOver(agents, seq);
      if (instances.length > 0) await followed?.instanceRegistry.takeOver(instances);
      if (weights) await followed?.weightsInForce.reload();
    },
    async reload(why) {
      report(`${why} Everything is loaded again.`);
      await followed?.registry.reload();
      await followed?.instanceRegistry.takeOver();
      await followed?.weightsInForce.reload();
    },
    report,
  });
  const catchUp = () => follower.catchUp();
  return {
    catchUp,
    leases: new SharedLeases({ ...shared, ...cluster, catchUp, team, clock, report }),
    /** Notes where the store stands, before anything is loaded. @throws ReachError STORE_UNAVAILABLE */
    begin: () => follower.begin(),
    /** Applies what has changed since then, and from now on all that changes. @throws ReachError STORE_UNAVAILABLE */
    async follow(parts: Followed): Promise<void> {
      followed = parts;
      parts.instanceRegistry.hearOthers(parts.instances);
      await follower.catchUp();
      follower.follow();
    },
    close: () => follower.close(),
  };
}
