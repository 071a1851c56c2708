import type { Instance, InstanceName } from './instance.js';

/** A registered instance as it is stored: all of it but its lease, which no restart outlives. */
export type StoredInstance = Omit<Instance, 'origin'>;

/** Where registered instances are kept. A port; `storage/` implements it. Every write is durable when its promise resolves. */
export interface InstanceStore {
  /** Every registered instance of the team. */
  load(team: string): Promise<StoredInstance[]>;
  /** Those of these that are there. */
  find(team: string, names: readonly InstanceName[]): Promise<StoredInstance[]>;
  /**
   * Saves an instance if the stored one still has the `expected` version of its address (null: there is none).
   * Returns the version of its address now: for a new address the next number of the sequence in which the team's
   * catalogue counts too, so that it never shrinks, else the one that it had. Other changes may take numbers as well.
   * @throws ReachError INSTANCE_TAKEN where the stored one has another
   */
  save(team: string, instance: Omit<StoredInstance, 'addrVersion'>, expected: number | null): Promise<number>;
  /**
   * Removes instances, in one step; those that are not there do not matter. Returns the next number of the same
   * sequence, for the address of what takes their places.
   */
  remove(team: string, names: readonly InstanceName[]): Promise<number>;
}
