import type { Clock } from '../clock.js';
import type { Lifecycle } from '../lifecycle.js';
import type { PartState } from '../wire/health.js';
import { Membership } from './membership.js';
import { type MessageBus, NOBODY_ELSE } from './message-bus.js';
import type { ReplicaStore } from './replica-store.js';
import { ALL_OURS, type Shares } from './shares.js';

interface ClusterContext {
  /** Undefined where no other process has the same store. */
  readonly shared: { readonly replicas: ReplicaStore; readonly bus: MessageBus } | undefined;
  readonly replicaId: string;
  readonly team: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** This process among those that share its store. */
export interface Cluster {
  readonly replicaId: string;
  readonly bus: MessageBus;
  readonly shares: Shares;
  /** Whether a replica of this id lives, as far as is known. */
  isLiving(replicaId: string): boolean;
  /** From now on it takes its part of the work. @throws ReachError STORE_UNAVAILABLE */
  start(): Promise<void>;
  status(): {
    readonly state: PartState;
    readonly detail: string;
    readonly living: number;
    readonly replicaId: string;
  };
}

/** At the close the others are told that this one goes. */
export function openCluster({ shared, lifecycle, ...context }: ClusterContext): Cluster {
  const { replicaId } = context;
  if (shared === undefined) {
    return {
      replicaId,
      bus: NOBODY_ELSE,
      shares: ALL_OURS,
      isLiving: (other) => other === replicaId,
      start: async () => {},
      status: () => ({ state: 'ok', detail: 'It shares its store with nobody.', living: 1, replicaId }),
    };
  }
  const { replicas: store, bus } = shared;
  const membership = new Membership({ ...context, store, bus });
  lifecycle.add('membership', () => membership.close());
  return {
    replicaId,
    bus,
    shares: membership,
    isLiving: (other) => membership.isLiving(other),
    start: () => membership.start(),
    status() {
      const living = membership.living.length;
      if (living === 0)
        return { state: 'starting', detail: 'It has not joined the others yet.', living, replicaId };
      const replicas = living === 1 ? '1 replica lives' : `${living} replicas live`;
      return membership.isAnswered
        ? { state: 'ok', detail: `${replicas}.`, living, replicaId }
        : { state: 'degraded', detail: `${replicas}, as far as was known last.`, living, replicaId };
    },
  };
}
