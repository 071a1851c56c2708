import type { Replica, ReplicaStore } from '../../src/cluster/replica-store.js';
import { ReachError } from '../../src/errors.js';
import type { HandClock } from './hand-clock.js';

/** Who lives, by a clock of its own that no replica has. */
export class LocalReplicas implements ReplicaStore {
  readonly #clock: HandClock;
  readonly #ends = new Map<string, { readonly replica: Replica; readonly atMs: number }>();
  isAway = false;

  constructor(clock: HandClock) {
    this.#clock = clock;
  }

  async beat(_team: string, replica: Replica, ttlMs: number): Promise<readonly Replica[]> {
    this.#refuseWhileAway();
    const now = this.#clock.monotonic();
    this.#ends.set(replica.replicaId, { replica, atMs: now + ttlMs });
    for (const [id, { atMs }] of this.#ends) if (atMs <= now) this.#ends.delete(id);
    return Array.from(this.#ends.values(), ({ replica: living }) => living);
  }

  async leave(_team: string, replicaId: string): Promise<void> {
    this.#refuseWhileAway();
    this.#ends.delete(replicaId);
  }

  /** It has come back empty. */
  empty(): void {
    this.#ends.clear();
  }

  #refuseWhileAway(): void {
    if (this.isAway) throw new ReachError('STORE_UNAVAILABLE', 'Away.');
  }
}
