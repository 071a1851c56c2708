import type { Shares } from '../cluster/shares.js';
import type { InstanceView } from '../health/instance-view.js';
import { instanceKey } from '../registry/instance.js';
import type { LaneSizes } from '../settings.js';
import { LANES, type Lane } from '../wire/dispatch.js';

/** How many requests of each lane an instance has under way. */
export type SlotsInUse = Record<Lane, number>;

export const noSlotsInUse = (): SlotsInUse => ({ P0: 0, P1: 0, P2: 0 });

/** What of an instance its slots depend on. */
type SlotOwner = Pick<InstanceView, 'agentName' | 'instanceId' | 'maxConcurrency'>;

/**
 * How many slots instances have, by the sizes of the lanes and what their manifests declare. All replicas share them: of
 * each instance this one has its part, at least one of each lane.
 */
export class LaneSlots {
  readonly #sizes: LaneSizes;
  readonly #shares: Shares;
  readonly #all: number;

  constructor(sizes: LaneSizes, shares: Shares) {
    this.#sizes = sizes;
    this.#shares = shares;
    this.#all = LANES.reduce((sum, lane) => sum + sizes[lane].slots, 0);
  }

  /** Our part of those of a lane: as configured, or its share of the `max_concurrency` that is declared, at least one. */
  of(owner: SlotOwner, lane: Lane): number {
    const { maxConcurrency } = owner;
    const { slots } = this.#sizes[lane];
    const inAll =
      maxConcurrency === undefined ? slots : Math.max(1, Math.round((maxConcurrency * slots) / this.#all));
    return this.#shares.shareOf(inAll, instanceKey(owner));
  }

  /** Whether one of a lane is free. */
  hasRoom(owner: SlotOwner, lane: Lane, inUse: SlotsInUse | undefined): boolean {
    if (inUse === undefined) return true;
    if (inUse[lane] >= this.of(owner, lane)) return false;
    const { maxConcurrency } = owner;
    if (maxConcurrency === undefined) return true;
    return inUse.P0 + inUse.P1 + inUse.P2 < this.#shares.shareOf(maxConcurrency, instanceKey(owner));
  }
}
