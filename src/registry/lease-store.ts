import type { InstanceName } from './instance.js';

/** How long a lease holds from now, in ms. */
export interface NotedLease extends InstanceName {
  readonly leaseMs: number;
}

/** How long leases hold, whichever replica has granted them, by the clock of the store. A port; `storage/` implements it. */
export interface LeaseStore {
  /** Of two that are noted of one instance the one that holds longer counts. */
  note(team: string, leases: readonly NotedLease[]): Promise<void>;
  /** How much is left of each, in ms; 0 where it is over or was never noted. */
  left(team: string, names: readonly InstanceName[]): Promise<readonly number[]>;
}
