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
export interface InstanceView {
  readonly agentName: string;
  readonly instanceId: string;
  readonly address: string;
  /** Grows with every new address of the instance, across its removal and return and across restarts. */
  readonly addrVersion: number;
  /** Its share of the work among its siblings; 0 takes it out of service without removing it. */
  readonly weight: number;
  readonly region: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: InstanceState;
  /** 0..1. */
  readonly reachability: number;
  /** Calls of ours that are under way. */
  readonly pending: number;
  readonly maxConcurrency: number | undefined;
  /** Smoothed latency of its answers in ms; undefined before the first. */
  readonly latencyMs: number | undefined;
}

/** The outcome of one call to an instance, told to health by whoever made it. */
export interface CallOutcome {
  /**
   * `unreachable`: no connection, or one that was lost before an answer. `refused` is a caller's fault, `busy` a full
   * house, `needs_auth` a missing login: these three say nothing about whether the instance works.
   */
  readonly outcome: 'completed' | 'failed' | 'timeout' | 'unreachable' | 'refused' | 'busy' | 'needs_auth';
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
  begin(agentName: string, instanceId: string): (outcome: CallOutcome) => void;
}

/** Whether an instance may be given work now. */
export function isEligible({ state, weight }: InstanceView): boolean {
  return weight > 0 && (state === 'up' || state === 'degraded');
}

/** How reachable the instances of an agent are together; 0 of everything where it has none. */
export interface ReachabilitySummary {
  readonly mean: number;
  readonly min: number;
  readonly eligible: number;
  readonly registered: number;
}

export function reachabilityOf(views: readonly InstanceView[]): ReachabilitySummary {
  const scores = views.map(({ reachability }) => reachability);
  const registered = views.length;
  if (registered === 0) return { mean: 0, min: 0, eligible: 0, registered };
  const mean = scores.reduce((sum, score) => sum + score, 0) / registered;
  return { mean, min: Math.min(...scores), eligible: views.filter(isEligible).length, registered };
}
