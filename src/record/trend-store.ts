/** Lengths of what is rolled up, in ms. Each begins at a whole multiple of it since the epoch: in UTC. */
export const PERIODS = Object.freeze({ minute: 60_000, hour: 3_600_000, day: 86_400_000 });
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];

/** What was seen of an agent within a while. Two of them add up to that of both whiles. */
export interface TrendTally {
  /** 0 where only decisions and failures were counted; then the next four change nothing that they are added to. */
  readonly samples: number;
  /** Sum of the means of all samples. */
  readonly reachabilitySum: number;
  readonly reachabilityMin: number;
  /** The fewest in any sample. */
  readonly eligible: number;
  /** The most in any sample. */
  readonly registered: number;
  readonly routed: number;
  readonly failed: number;
}

/** What was seen within the period that begins at `atMs`. */
export interface TrendRow extends TrendTally {
  readonly atMs: number;
}

/** A tally of one minute, and whose it is. */
export interface AgentMinute extends TrendRow {
  readonly agentName: string;
}

/** The seen part of a tally that only counts. */
export const NOT_SEEN = Object.freeze({
  samples: 0,
  reachabilitySum: 0,
  reachabilityMin: 1,
  eligible: Number.MAX_SAFE_INTEGER,
  registered: 0,
});

/** When the period begins in which a moment lies. */
export function startOf(period: Period, atMs: number): number {
  return Math.floor(atMs / PERIODS[period]) * PERIODS[period];
}

export function sumOf(one: TrendTally, other: TrendTally): TrendTally {
  return {
    samples: one.samples + other.samples,
    reachabilitySum: one.reachabilitySum + other.reachabilitySum,
    reachabilityMin: Math.min(one.reachabilityMin, other.reachabilityMin),
    eligible: Math.min(one.eligible, other.eligible),
    registered: Math.max(one.registered, other.registered),
    routed: one.routed + other.routed,
    failed: one.failed + other.failed,
  };
}

/** Where rolled-up reachability is kept. A port; `storage/` implements it. */
export interface TrendStore {
  /** Adds each tally to the minute, the hour and the day in which it lies. All of them or none. */
  add(team: string, tallies: readonly AgentMinute[]): Promise<void>;
  /** The rows of an agent that begin at or after `fromMs`, oldest first. */
  rows(team: string, agentName: string, period: Period, fromMs: number): Promise<readonly TrendRow[]>;
  /** Lets go of some rows of each period that begin before its time; true where more is left to do. */
  prune(team: string, beforeMs: Readonly<Record<Period, number>>): Promise<boolean>;
}
