import type { InstanceView } from '../health/instance-view.js';
import { openInstances, shareOf } from '../routing/instance-choice.js';
import type { AgentAnswer } from '../transport/agent-transport.js';

/** Attempts at one dispatch: the first, and one more elsewhere. */
const MAX_ATTEMPTS = 2;

/** An attempt that is over. */
export interface TriedInstance {
  readonly instanceId: string;
  readonly answer: AgentAnswer;
}

/** All that the next step depends on. */
export interface PlanState {
  readonly capabilityId: string;
  /** The instance that the decision names, if it names one. */
  readonly preferredId: string | null;
  readonly instances: readonly InstanceView[];
  /** In order; empty before the first attempt. */
  readonly tried: readonly TriedInstance[];
  /** Whether the capability may be carried out twice. */
  readonly idempotent: boolean;
  /** What is left of the deadline. */
  readonly leftMs: number;
}

export type StopReason = 'answered' | 'not_repeatable' | 'attempts_used' | 'no_time' | 'no_instance';
export type NextStep =
  | { readonly kind: 'attempt'; readonly instance: InstanceView }
  | { readonly kind: 'stop'; readonly reason: StopReason };

const stop = (reason: StopReason): NextStep => ({ kind: 'stop', reason });

/** Whether a failure leaves the way open to another instance. */
function repeatable(answer: AgentAnswer, idempotent: boolean): boolean {
  if (answer.kind === 'completed' || answer.kind === 'refused') return false;
  // A missing login is missing for every instance: they share the manifest that says how to log in.
  if (answer.code === 'AGENT_NEEDS_AUTH') return false;
  return idempotent || !answer.mayHaveExecuted;
}

function withLargestShare(views: readonly InstanceView[]): InstanceView | undefined {
  let best: InstanceView | undefined;
  for (const view of views) if (best === undefined || shareOf(view) > shareOf(best)) best = view;
  return best;
}

function choose({ capabilityId, preferredId, instances, tried }: PlanState): InstanceView | undefined {
  const triedIds = new Set(tried.map(({ instanceId }) => instanceId));
  const untried = instances.filter(({ instanceId }) => !triedIds.has(instanceId));
  const open = openInstances(untried, capabilityId);
  return open.find(({ instanceId }) => instanceId === preferredId) ?? withLargestShare(open);
}

/**
 * Decides what comes next in a dispatch: an attempt on an instance, or the end. Never the same instance twice;
 * what may have been done is done again only where that does no harm.
 */
export function nextStep(state: PlanState): NextStep {
  const last = state.tried.at(-1)?.answer;
  if (last?.kind === 'completed' || last?.kind === 'refused') return stop('answered');
  if (last !== undefined && !repeatable(last, state.idempotent)) return stop('not_repeatable');
  if (state.tried.length >= MAX_ATTEMPTS) return stop('attempts_used');
  if (state.leftMs < 1) return stop('no_time');
  const instance = choose(state);
  return instance === undefined ? stop('no_instance') : { kind: 'attempt', instance };
}
