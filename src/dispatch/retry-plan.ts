import type { FinalAnswer } from '../transport/agent-transport.js';

/** Somebody who can do the work, as the plan sees it: the target of the decision, or one who stands in for it. */
export interface PlanTarget {
  readonly agentName: string;
  /** Whether the capability may be carried out twice. */
  readonly idempotent: boolean;
  /** What it usually takes, where that is declared. */
  readonly expectedMs: number | undefined;
  /**
   * Whether it accepts the payload, and has an instance that takes work and has not failed in this round. Asked only
   * where it matters: all instances may have to be looked at.
   */
  isOpen(): boolean;
}

/** An attempt that is over. */
export interface PastAttempt {
  readonly target: PlanTarget;
  readonly answer: FinalAnswer;
}

export interface RetryPolicy {
  /** All together. */
  readonly maxAttempts: number;
  /** The most that is waited after the first round. */
  readonly backoffBaseMs: number;
  /** How that grows with each round. */
  readonly backoffFactor: number;
}

/** All that the next step depends on. */
export interface PlanState {
  /** In the order in which they are tried. */
  readonly targets: readonly PlanTarget[];
  /** In order, of those before a restart only the last; empty before the first attempt. */
  readonly past: readonly PastAttempt[];
  /** How many attempts were made, all of those before a restart included. */
  readonly made: number;
  /** Those of `past` that belong to this round. */
  readonly inRound: number;
  /** From 0. */
  readonly round: number;
  readonly policy: RetryPolicy;
  /** What is left for the work. */
  readonly leftMs: number;
  /** Whether the process as a whole may repeat anything now. */
  readonly budgetAllows: boolean;
  /** 0..1, for the jitter. */
  readonly random: number;
}

export type StopReason =
  | 'answered'
  | 'not_repeatable'
  | 'attempts_used'
  | 'no_time'
  | 'no_instance'
  | 'budget_used';
export type NextStep =
  /** `target`: its place among the targets. */
  | { readonly kind: 'attempt'; readonly target: number }
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'stop'; readonly reason: StopReason };

const stop = (reason: StopReason): NextStep => ({ kind: 'stop', reason });

function mayHaveExecuted({ answer }: PastAttempt): boolean {
  return 'mayHaveExecuted' in answer && answer.mayHaveExecuted;
}

/** A missing login is missing for every instance: they share the manifest that says how to log in. */
function lacksLogin({ agentName }: PlanTarget, past: readonly PastAttempt[]): boolean {
  return past.some(
    ({ target, answer }) =>
      target.agentName === agentName && 'code' in answer && answer.code === 'AGENT_NEEDS_AUTH',
  );
}

/** Whether a target may do the work, after all that was tried: what may have been done already is done again only where that does no harm. */
function mayFollow(target: PlanTarget, past: readonly PastAttempt[]): boolean {
  if (lacksLogin(target, past)) return false;
  const executed = past.filter(mayHaveExecuted);
  return executed.length === 0 || (target.idempotent && executed.every((made) => made.target.idempotent));
}

/** When those who are busy said that they may be asked again, at the earliest, in ms. */
function busyForMs(round: readonly PastAttempt[]): number {
  const times = round.map(({ answer }) => ('retryAfterMs' in answer ? (answer.retryAfterMs ?? 0) : 0));
  return Math.min(...times);
}

/** Whether what is left suffices for another attempt at a target. */
function hasTime({ expectedMs = 1 }: PlanTarget, leftMs: number): boolean {
  return leftMs >= Math.max(1, expectedMs);
}

/**
 * Decides what comes next for a request: an attempt, a wait after which all are open to it again, or the end. The one
 * place where anything is repeated.
 */
export function nextStep(state: PlanState): NextStep {
  const { targets, past, made, inRound, round, policy, leftMs } = state;
  if (inRound === 0 && round === 0 && leftMs < 1) return stop('no_time');
  const last = past.at(-1)?.answer;
  if (last === undefined) {
    const first = targets.findIndex((target) => target.isOpen());
    return first === -1 ? stop('no_instance') : { kind: 'attempt', target: first };
  }
  if (!('code' in last)) return stop('answered');
  const able = targets.filter((target) => mayFollow(target, past));
  if (last.code === 'RESULT_INVALID' || able.length === 0) return stop('not_repeatable');
  if (made >= policy.maxAttempts) return stop('attempts_used');
  const next = able.find((target) => target.isOpen() && hasTime(target, leftMs));
  if (next !== undefined)
    return state.budgetAllows ? { kind: 'attempt', target: targets.indexOf(next) } : stop('budget_used');
  return nextRound(state, able);
}

/** All are out, or take longer than is left. */
function nextRound(state: PlanState, able: readonly PlanTarget[]): NextStep {
  const { past, inRound, round, policy, leftMs, random } = state;
  // A round in which nobody could be tried: another one would be no better.
  if (inRound === 0) return stop('no_instance');
  const jitteredMs = random * policy.backoffBaseMs * policy.backoffFactor ** round;
  const delayMs = Math.max(jitteredMs, busyForMs(past.slice(-inRound)));
  if (!able.some((target) => hasTime(target, leftMs - delayMs))) return stop('no_time');
  return state.budgetAllows ? { kind: 'wait', delayMs } : stop('budget_used');
}
