import { LANES, type Lane } from '../wire/dispatch.js';
import { CallRate } from './call-rate.js';
import { noSlotsInUse, type SlotsInUse } from './lane-slots.js';

/** Slots and queues of one agent. `Waiter`: whoever waits for a slot. */
export class AgentLanes<Waiter> {
  readonly agentName: string;
  readonly rate = new CallRate();
  /** First come, first served, by lane. */
  readonly queues: Readonly<Record<Lane, Set<Waiter>>> = { P0: new Set(), P1: new Set(), P2: new Set() };
  /** Ends the wait for a place under `max_qps`, where there is one. */
  stopTimer: (() => void) | undefined;
  /** Slots are being given to those who wait. */
  serving = false;
  readonly #inUse = new Map<string, SlotsInUse>();

  constructor(agentName: string) {
    this.agentName = agentName;
  }

  /** Undefined where the instance has nothing under way. */
  inUse(instanceId: string): SlotsInUse | undefined {
    return this.#inUse.get(instanceId);
  }

  take(instanceId: string, lane: Lane): void {
    const inUse = this.#inUse.get(instanceId) ?? noSlotsInUse();
    inUse[lane] += 1;
    this.#inUse.set(instanceId, inUse);
  }

  free(instanceId: string, lane: Lane): void {
    const inUse = this.#inUse.get(instanceId);
    if (inUse === undefined) return;
    inUse[lane] -= 1;
    if (LANES.every((each) => inUse[each] === 0)) this.#inUse.delete(instanceId);
  }

  /** How many wait in the lanes up to this one, which go before whoever comes now. */
  waitingUpTo(lane: Lane): number {
    let waiting = 0;
    for (const each of LANES) {
      waiting += this.queues[each].size;
      if (each === lane) break;
    }
    return waiting;
  }

  /** Whether anything is under way or waits. */
  get isAtWork(): boolean {
    return this.#inUse.size > 0 || this.waitingUpTo('P2') > 0;
  }
}
