/** One of the processes that share a store. */
export interface Replica {
  /** Of this run of it: a restart is another replica. */
  readonly replicaId: string;
  readonly startedAtMs: number;
}

/** Which replicas live. A port; `storage/` implements it. */
export interface ReplicaStore {
  /** Says that a replica lives for the next `ttlMs`, and returns all that do, by the clock of the store. */
  beat(team: string, replica: Replica, ttlMs: number): Promise<readonly Replica[]>;
  /** It goes by itself: nobody waits until its time is over. */
  leave(team: string, replicaId: string): Promise<void>;
}
