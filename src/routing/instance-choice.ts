import { type InstanceView, isEligible, isLastResort } from '../health/instance-view.js';
import { LruMap } from '../lru-map.js';
import { builtInStrategies, WEIGHTED_ROUND_ROBIN } from './built-in-strategies.js';
import type { Affinity } from './conversation.js';
import type { InstanceStrategies, StrategyCall } from './instance-strategy.js';

/** What the choice among the instances of an agent depends on besides the instances. */
export interface InstanceCall extends StrategyCall {
  /** What the capability names in `instance_strategy`. */
  readonly strategy: string | undefined;
  readonly region: string | undefined;
  /** An instance_id to try first. */
  readonly hint: string | undefined;
  readonly affinity: Affinity | undefined;
}

/** Agents whose turns are counted; who falls out starts again at the first. */
const MOST_TURNS = 100_000;

/** The instances that may take work of a capability: those that are ready, else those that are a last resort. */
export function openInstances(views: readonly InstanceView[], capabilityId: string): readonly InstanceView[] {
  // So it is nearly always, and there may be thousands.
  if (views.every((view) => isEligible(view, capabilityId) && !isLastResort(view))) return views;
  const ready: InstanceView[] = [];
  const lastResorts: InstanceView[] = [];
  for (const view of views) {
    if (isEligible(view, capabilityId)) (isLastResort(view) ? lastResorts : ready).push(view);
  }
  return ready.length > 0 ? ready : lastResorts;
}

/** Those of some instances that fit, where any does; else all of them. */
function preferred(
  open: readonly InstanceView[],
  fits: (view: InstanceView) => boolean,
): readonly InstanceView[] {
  const fitting = open.filter(fits);
  return fitting.length > 0 ? fitting : open;
}

/** Chooses among the instances of agents, for decisions and attempts alike. */
export class InstanceChoice {
  readonly #strategies: InstanceStrategies;
  readonly #turns = new LruMap<string, number>(MOST_TURNS);
  /** Strategies whose throw has been told. */
  readonly #told = new Set<string>();
  readonly #report: (message: string) => void;

  /** `strategies`: those of the library's caller. `report`: told once of each that throws. `random`: 0..1. */
  constructor(
    strategies: InstanceStrategies = {},
    report: (message: string) => void = () => undefined,
    random: () => number = Math.random,
  ) {
    this.#strategies = { ...strategies, ...builtInStrategies(random) };
    this.#report = report;
  }

  /** Whether there is a strategy of this name. */
  has(strategy: string): boolean {
    return Object.hasOwn(this.#strategies, strategy);
  }

  /** How often an instance of the agent was chosen so far. */
  turnOf(agentName: string): number {
    return this.#turns.get(agentName) ?? 0;
  }

  /** A choice for the agent came into effect: the next turn begins. */
  takeTurn(agentName: string): void {
    this.#turns.set(agentName, this.turnOf(agentName) + 1);
  }

  /**
   * The instance that takes the work, of those that are open to it: the hinted one, else one of the version that the
   * session stays with, of the region, where there are such, by the capability's strategy. Undefined where none is open.
   */
  choose(open: readonly InstanceView[], call: InstanceCall): InstanceView | undefined {
    const { hint, region, affinity, agentName } = call;
    const hinted = hint === undefined ? undefined : open.find(({ instanceId }) => instanceId === hint);
    if (hinted !== undefined) return hinted;
    let among = open;
    if (affinity?.agentName === agentName && affinity.version !== null)
      among = preferred(among, ({ version }) => version === affinity.version);
    if (region !== undefined) among = preferred(among, (view) => view.region === region);
    return among.length < 2 ? among[0] : this.#byStrategy(among, call);
  }

  #byStrategy(among: readonly InstanceView[], call: InstanceCall): InstanceView | undefined {
    const { strategy } = call;
    if (strategy !== undefined && this.has(strategy)) {
      try {
        const chosen = this.#strategies[strategy]?.choose(among, call);
        if (chosen !== undefined && among.includes(chosen)) return chosen;
      } catch (thrown) {
        this.#tellOnce(strategy, thrown);
      }
    }
    return WEIGHTED_ROUND_ROBIN.choose(among, call);
  }

  #tellOnce(strategy: string, thrown: unknown): void {
    if (this.#told.has(strategy)) return;
    this.#told.add(strategy);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    this.#report(`The strategy ${strategy} throws, so the default one chooses: ${why}`);
  }
}
