import type { MessageBus } from '../cluster/message-bus.js';
import type { Shares } from '../cluster/shares.js';

/** This process among those that share its store, as far as requests need to know. */
export interface RequestsCluster {
  readonly replicaId: string;
  readonly bus: MessageBus;
  readonly shares: Pick<Shares, 'owns' | 'onChange'>;
  /** Whether a replica of this id lives, as far as is known. */
  isLiving(replicaId: string): boolean;
}
