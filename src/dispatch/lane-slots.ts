import type { InstanceView } from '../health/instance-view.js';
import type { LaneSizes } from '../settings.js';
import { LANES, type Lane } from '../wire/dispatch.js';

/** How many requests of each lane an instance has under way. */
export type SlotsInUse = Record<Lane, number>;

export const noSlotsInUse = (): SlotsInUse => ({ P0: 0, P1: 0, P2: 0 });

/** How many slots instances have, by the sizes of the lanes and what their manifests declare. */
export class LaneSlots {
  readonly #sizes: LaneSizes;
  readonly #all: number;

  constructor(sizes: LaneSizes) {
    this.#sizes = sizes;
    this.#all = LANES.reduce((sum, lane) => sum + sizes[lane].slots, 0);
  }

  /** Those of a lane: as configured, or its share of the `max_concurrency` that is declared, at least one. */
  of({ maxConcurrency }: Pick<InstanceView, 'maxConcurrency'>, lane: Lane): number {
    const { slots } = this.#sizes[lane];
    if (maxConcurrency === undefined) return slots;
    return Math.max(1, Math.round((maxConcurrency * slots) / this.#all));
  }

  /** Whether one of a lane is free. */
  hasRoom(view: Pick<InstanceView, 'maxConcurrency'>, lane: Lane, inUse: SlotsInUse | undefined): boolean {
    if (inUse === undefined) return true;
    if (inUse[lane] >= this.of(view, lane)) return false;
    const { maxConcurrency } = view;
    return maxConcurrency === undefined || inUse.P0 + inUse.P1 + inUse.P2 < maxConcurrency;
  }
}
