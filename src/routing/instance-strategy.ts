import type { InstanceView } from '../health/instance-view.js';

/** What a choice among instances may depend on besides them. */
export interface StrategyCall {
  readonly agentName: string;
  readonly capabilityId: string;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  /** Grows by one with every choice for the agent: shares work out. */
  readonly turn: number;
}

/**
 * Chooses one of the instances that can take the work now; there is at least one. Called for every attempt, and by
 * decisions for whom they might send to, so it must be quick and must not wait. Undefined, an instance that is not
 * among them, or a throw: the default strategy chooses.
 */
export interface InstanceStrategy {
  choose(open: readonly InstanceView[], call: StrategyCall): InstanceView | undefined;
}

/** Strategies by the name that manifests give them in `instance_strategy`. */
export type InstanceStrategies = Readonly<Record<string, InstanceStrategy>>;
