import type { InstanceName } from '../registry/instance.js';

/** What is known of an instance's ability to take work. `up`, `degraded` and `busy` are eligible. */
export type InstanceState =
  | 'up'
  | 'degraded'
  | 'busy'
  | 'fenced'
  | 'paused'
  | 'draining'
  | 'needs_auth'
  | 'down'
  | 'expired';

/** One instance at one moment, as routing and dispatch see it. Immutable. */
export interface InstanceView extends InstanceName {
  readonly address: string;
  /** Grows with every new address of the instance, across its removal and return and across restarts. */
  readonly addrVersion: number;
  /** Its share of the work among its siblings; 0 takes it out of service without removing it. */
  readonly weight: number;
  readonly region: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the program that runs there, as it says itself. */
  readonly version: string | undefined;
  readonly state: InstanceState;
  /** Why it came into this state: a phrase for a person. */
  readonly reason: string;
  /** Since when it is in this state: wall time in ms since the epoch. */
  readonly since: number;
  /** A call found no connection, or lost it, and nothing has reached it since. */
  readonly suspect: boolean;
  /** The capabilities of which too many calls have failed there: for these it takes no work now. */
  readonly blocked: ReadonlySet<string>;
  /** 0..1. */
  readonly reachability: number;
  /** Calls under way: the larger of our own and what it last reported. */
  readonly pending: number;
  readonly maxConcurrency: number | undefined;
  /** Smoothed latency of its answers in ms; undefined before the first. */
  readonly latencyMs: number | undefined;
}

/** The outcome of one call to an instance, told to health by whoever made it. */
export interface CallOutcome {
  /**
   * `unreachable`: no connection, or one that was lost before an answer. `refused` is a caller's fault, `busy` a full
   * house, `needs_auth` a missing login, `cancelled` a call that we ended: these say nothing about whether the instance
   * works.
   */
  readonly outcome:
    | 'completed'
    | 'failed'
    | 'timeout'
    | 'unreachable'
    | 'refused'
    | 'busy'
    | 'needs_auth'
    | 'cancelled';
  /** Undefined where whoever made the call does not say. */
  readonly elapsedMs: number | undefined;
}

/** Reading: what routing and dispatch may see. */
export interface InstanceViews {
  instancesOf(agentName: string): readonly InstanceView[];
}

/** Writing: what whoever calls an instance tells of it. */
export interface CallObserver {
  /** A call begins and counts as pending until the returned function is told its outcome, once. */
  begin(agentName: string, instanceId: string, capabilityId: string): (outcome: CallOutcome) => void;
}

/** Whether an instance in this state takes work. */
export function takesWork(state: InstanceState): boolean {
  return state === 'up' || state === 'degraded' || state === 'busy';
}

/** Whether an instance may be given work of this capability now. Each decision asks it of all instances of its candidates. */
export function isEligible({ state, weight, blocked }: InstanceView, capabilityId: string): boolean {
  return weight > 0 && takesWork(state) && (blocked.size === 0 || !blocked.has(capabilityId));
}

/** Whether an eligible instance is given work only where there is no other. */
export function isLastResort({ state, suspect }: InstanceView): boolean {
  return suspect || state === 'busy';
}

/** How reachable the instances of an agent are together; 0 of everything where it has none. */
export interface ReachabilitySummary {
  readonly mean: number;
  readonly min: number;
  /** How many take work, at least of some capability. */
  readonly eligible: number;
  readonly registered: number;
}

export function reachabilityOf(views: readonly InstanceView[]): ReachabilitySummary {
  const scores = views.map(({ reachability }) => reachability);
  const registered = views.length;
  if (registered === 0) return { mean: 0, min: 0, eligible: 0, registered };
  const mean = scores.reduce((sum, score) => sum + score, 0) / registered;
  const eligible = views.filter(({ state, weight }) => weight > 0 && takesWork(state)).length;
  return { mean, min: Math.min(...scores), eligible, registered };
}
