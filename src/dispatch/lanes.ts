import type { Clock } from '../clock.js';
import { ALL_OURS, type Shares } from '../cluster/shares.js';
import type { EndSignal } from '../end-signal.js';
import {
  type CallObserver,
  type CallOutcome,
  type InstanceView,
  type InstanceViews,
  isEligible,
  takesWork,
} from '../health/instance-view.js';
import type { Manifest } from '../manifest/schema.js';
import type { LaneSizes } from '../settings.js';
import { LANES, type Lane } from '../wire/dispatch.js';
import type { Queues } from '../wire/requests.js';
import { AgentLanes } from './agent-lanes.js';
import { LaneSlots, noSlotsInUse } from './lane-slots.js';
import { findInstance, type SlotWish } from './slot-wish.js';

/** How long somebody waits for a slot, and who is told of it. */
export interface SlotWait {
  /** Monotonic. */
  readonly untilMs: number;
  readonly signal: EndSignal | undefined;
  /** From 1. Not called where nobody has to wait. */
  queuedAt(place: number): void;
}

/** An instance, taken for one call until that ends. */
export interface Slot {
  readonly kind: 'slot';
  readonly instance: InstanceView;
  /** The call is over: told to health, and the slot is free again. */
  end(call: CallOutcome): void;
}

/** `nobody`: no instance can take the work now, full or not. `full`: the queue is. `late`: the wait was too long. */
export type NoSlot =
  | { readonly kind: 'nobody' | 'late' | 'cancelled' }
  | { readonly kind: 'full'; readonly retryAfterMs: number };

interface Waiter {
  readonly wish: SlotWish;
  settle(got: Slot | NoSlot): void;
}

export interface LanesParts {
  readonly sizes: LaneSizes;
  readonly instances: InstanceViews & CallObserver;
  /** Of an agent as it is published now: who waits may have come under another one. Undefined where it is none any more. */
  readonly manifestOf: (agentName: string) => Pick<Manifest, 'maxQps'> | undefined;
  readonly clock: Clock;
  /** Which part of the slots and of `max_qps` is ours; by default all. */
  readonly shares?: Shares | undefined;
}

const NOBODY: NoSlot = { kind: 'nobody' };
/** What a call is taken to last where none has been completed yet, in ms. */
const USUAL_MS = 1_000;
const MOST_RETRY_MS = 60_000;
/** Where there are fewer agents, nobody looks for idle ones. */
const FEW = 64;

/**
 * Lets requests to instances: so many of each lane at once, so many a second, and the others in queues. Taking a slot
 * is synchronous where one is free, and counts as a call that has begun: whoever chooses next sees it.
 */
export class Lanes {
  readonly #sizes: LaneSizes;
  readonly #slots: LaneSlots;
  readonly #instances: InstanceViews & CallObserver;
  readonly #manifestOf: LanesParts['manifestOf'];
  readonly #clock: Clock;
  readonly #shares: Shares;
  readonly #agents = new Map<string, AgentLanes<Waiter>>();
  /** With so many it is time to look for idle ones. */
  #full = FEW;

  constructor({ sizes, instances, manifestOf, clock, shares = ALL_OURS }: LanesParts) {
    this.#sizes = sizes;
    this.#shares = shares;
    this.#slots = new LaneSlots(sizes, shares);
    this.#instances = instances;
    this.#manifestOf = manifestOf;
    this.#clock = clock;
    shares.onChange(() => {
      for (const agent of this.#agents.values()) this.#serve(agent);
    });
  }

  /** A slot, at once where one is free and nobody is before it in a queue, else once its turn comes. Never rejects. */
  acquire(wish: SlotWish, wait: SlotWait): Slot | NoSlot | Promise<Slot | NoSlot> {
    const agent = this.#agentOf(wish.agentName);
    if (agent.waitingUpTo(wish.lane) === 0 && this.#rateAllows(agent)) {
      const got = this.#grant(agent, wish);
      if (got !== 'wait') return got;
    }
    return this.#queue(agent, wish, wait);
  }

  /** Something changed with this agent or an instance of it: whoever waits looks again. */
  wake(agentName: string): void {
    const agent = this.#agents.get(agentName);
    if (agent !== undefined) this.#serve(agent);
  }

  /** Whether any instance may take work of a capability now, full or not, beside those. */
  isOpen(agentName: string, capabilityId: string, without: ReadonlySet<string>): boolean {
    if (this.#manifestOf(agentName) === undefined) return false;
    return this.#instances
      .instancesOf(agentName)
      .some((view) => isEligible(view, capabilityId) && !without.has(view.instanceId));
  }

  /** The agents that have something under way or waiting. */
  view(): Queues['agents'] {
    return [...this.#agents.values()]
      .filter((agent) => agent.isAtWork)
      .map((agent) => ({
        agentName: agent.agentName,
        instances: this.#instances.instancesOf(agent.agentName).map((view) => ({
          instanceId: view.instanceId,
          lanes: byLane((lane) => ({
            slots: this.#slots.of(view, lane),
            used: (agent.inUse(view.instanceId) ?? noSlotsInUse())[lane],
          })),
        })),
        waiting: byLane((lane) => agent.queues[lane].size),
      }))
      .sort((a, b) => (a.agentName < b.agentName ? -1 : 1));
  }

  #agentOf(agentName: string): AgentLanes<Waiter> {
    const known = this.#agents.get(agentName);
    if (known !== undefined) return known;
    if (this.#agents.size >= this.#full) {
      const now = this.#clock.monotonic();
      for (const [name, agent] of this.#agents)
        if (!agent.isAtWork && agent.rate.isQuiet(now)) this.#agents.delete(name);
      this.#full = Math.max(FEW, this.#agents.size * 2);
    }
    const fresh = new AgentLanes<Waiter>(agentName);
    this.#agents.set(agentName, fresh);
    return fresh;
  }

  #grant(agent: AgentLanes<Waiter>, wish: SlotWish): Slot | NoSlot | 'wait' {
    const { agentName, capabilityId, lane } = wish;
    if (this.#manifestOf(agentName) === undefined) return NOBODY;
    const found = findInstance(wish, this.#instances.instancesOf(agentName), (view) =>
      this.#hasRoom(agent, view, lane),
    );
    if (found === 'wait') return found;
    if (found === undefined) return NOBODY;
    const { instanceId } = found;
    agent.take(instanceId, lane);
    const maxQps = this.#maxQpsOf(agentName);
    if (maxQps !== undefined) agent.rate.begin(maxQps, this.#clock.monotonic());
    const ended = this.#instances.begin(agentName, instanceId, capabilityId);
    let over = false;
    return {
      kind: 'slot',
      instance: found,
      end: (call) => {
        if (over) return;
        over = true;
        agent.free(instanceId, lane);
        ended(call);
        this.#serve(agent);
      },
    };
  }

  #queue(agent: AgentLanes<Waiter>, wish: SlotWish, wait: SlotWait): NoSlot | Promise<Slot | NoSlot> {
    const queue = agent.queues[wish.lane];
    const { signal } = wait;
    if (signal?.aborted) return { kind: 'cancelled' };
    if (queue.size >= this.#sizes[wish.lane].queue)
      return { kind: 'full', retryAfterMs: this.#retryAfterMs(wish, queue.size) };
    const leftMs = wait.untilMs - this.#clock.monotonic();
    if (leftMs <= 0) return { kind: 'late' };
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wish,
        settle: (got) => {
          queue.delete(waiter);
          stopTimer();
          signal?.removeEventListener('abort', cancel);
          resolve(got);
        },
      };
      const cancel = () => waiter.settle({ kind: 'cancelled' });
      const stopTimer = this.#clock.after(leftMs, () => waiter.settle({ kind: 'late' }));
      signal?.addEventListener('abort', cancel, { once: true });
      queue.add(waiter);
      this.#serve(agent);
      if (queue.has(waiter)) wait.queuedAt(queue.size);
    });
  }

  /** Gives what is free to those who wait, the most urgent lane first. */
  #serve(agent: AgentLanes<Waiter>): void {
    if (agent.serving || agent.waitingUpTo('P2') === 0) return;
    agent.serving = true;
    for (const lane of LANES) if (!this.#serveLane(agent, lane)) break;
    agent.serving = false;
  }

  /** False where no more calls may begin now. */
  #serveLane(agent: AgentLanes<Waiter>, lane: Lane): boolean {
    /** Capabilities for whom there was nothing: the others who want the same need not look. */
    let full: Set<string> | undefined;
    for (const waiter of agent.queues[lane]) {
      const { capabilityId, without } = waiter.wish;
      const inService = this.#inService(agent);
      // That nobody takes work any more is told at once: it waits for no slot, and for no second to pass.
      if (inService.length > 0) {
        if (!inService.some((view) => this.#hasRoom(agent, view, lane))) return true;
        if (without.size === 0 && full?.has(capabilityId)) continue;
        if (!this.#rateAllows(agent)) return false;
      }
      const got = this.#grant(agent, waiter.wish);
      if (got !== 'wait') waiter.settle(got);
      else if (without.size === 0) full = (full ?? new Set()).add(capabilityId);
    }
    return true;
  }

  /** The instances that take work, at least of some capability; none of an agent that was removed. */
  #inService({ agentName }: AgentLanes<Waiter>): readonly InstanceView[] {
    if (this.#manifestOf(agentName) === undefined) return [];
    return this.#instances
      .instancesOf(agentName)
      .filter(({ state, weight }) => weight > 0 && takesWork(state));
  }

  #hasRoom(agent: AgentLanes<Waiter>, view: InstanceView, lane: Lane): boolean {
    return this.#slots.hasRoom(view, lane, agent.inUse(view.instanceId));
  }

  /** Our part of what the agent allows; undefined where it does not say. */
  #maxQpsOf(agentName: string): number | undefined {
    const maxQps = this.#manifestOf(agentName)?.maxQps;
    return maxQps === undefined ? undefined : this.#shares.rateOf(maxQps, agentName);
  }

  /** Whether another call may begin; where not, those who wait are looked at again when one may. */
  #rateAllows(agent: AgentLanes<Waiter>): boolean {
    const maxQps = this.#maxQpsOf(agent.agentName);
    if (maxQps === undefined) return true;
    const freeInMs = agent.rate.freeInMs(maxQps, this.#clock.monotonic());
    if (freeInMs <= 0) return true;
    agent.stopTimer ??= this.#clock.after(Math.ceil(freeInMs), () => {
      agent.stopTimer = undefined;
      this.#serve(agent);
    });
    return false;
  }

  /** When the queue may have room: its length times what one takes, over all slots of the lane. */
  #retryAfterMs({ agentName, lane }: SlotWish, waiting: number): number {
    const views = this.#instances.instancesOf(agentName);
    let slots = 0;
    let latencyMs = 0;
    for (const view of views) {
      slots += this.#slots.of(view, lane);
      latencyMs += view.latencyMs ?? USUAL_MS;
    }
    const eachMs = latencyMs / Math.max(1, views.length) / Math.max(1, slots);
    const maxQps = this.#maxQpsOf(agentName);
    const atLeastMs = maxQps === undefined ? 0 : 1_000 / maxQps;
    return Math.min(MOST_RETRY_MS, Math.ceil(waiting * Math.max(eachMs, atLeastMs)));
  }
}

function byLane<Value>(of: (lane: Lane) => Value): Record<Lane, Value> {
  return { P0: of('P0'), P1: of('P1'), P2: of('P2') };
}
