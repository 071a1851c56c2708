import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import type { Shares } from '../cluster/shares.js';
import { asReachError } from '../errors.js';
import type { CallObserver, CallOutcome, ReachabilitySummary } from '../health/instance-view.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import { SingleFlight } from '../single-flight.js';
import { LIMITS } from '../wire/limits.js';
import type { Trend, TrendPoint } from '../wire/records.js';
import {
  type AgentMinute,
  NOT_SEEN,
  PERIOD_NAMES,
  PERIODS,
  type Period,
  startOf,
  sumOf,
  type TrendRow,
  type TrendStore,
  type TrendTally,
} from './trend-store.js';

const SAMPLED_EVERY_MS = 10_000;
/** Tallies that are handed to the store at once. */
const BATCH = 200;
/** Tallies that wait for a store that fails, the newest: a minute of as many agents. */
const MOST_WAITING = 20_000;
/** How long rows are kept; those of days as far back as they can be asked for. */
const KEPT_MS: Readonly<Record<Period, number>> = {
  minute: 2 * PERIODS.day,
  hour: 30 * PERIODS.day,
  day: LIMITS.trendHours * PERIODS.hour,
};

export interface ReachabilityTrendParts {
  readonly store: TrendStore;
  readonly team: string;
  readonly summaryOf: (agentName: string) => ReachabilitySummary;
  readonly agents: () => Iterable<string>;
  /** Of the replicas that share the store one samples; each counts its own decisions and failures. */
  readonly shares: Shares;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Whose share it is to sample. */
const SAMPLING = 'reachability-trend';

/** A tally while it counts. */
type RunningTally = { -readonly [Part in keyof TrendTally]: TrendTally[Part] };

const FAILURES: ReadonlySet<CallOutcome['outcome']> = new Set(['failed', 'timeout', 'unreachable']);

function tallyOf({ mean, min, eligible, registered }: ReachabilitySummary): RunningTally {
  const seen = { reachabilitySum: mean, reachabilityMin: min, eligible, registered };
  return { samples: 1, ...seen, routed: 0, failed: 0 };
}

function pointOf({ atMs, samples, reachabilitySum, reachabilityMin, ...counts }: TrendRow): TrendPoint {
  const { eligible, registered, routed, failed } = counts;
  const reachability = { mean: reachabilitySum / samples, min: reachabilityMin };
  return { at: new Date(atMs).toISOString(), reachability, eligible, registered, routed, failed };
}

/**
 * How reachable each agent is as time passes: sampled every 10 s, with the decisions for it and the calls that
 * failed. Of several replicas one samples, and each adds what it decided and called. Each minute is added to its hour and its day when it is written, so that no roll-up is ever missed.
 */
export class ReachabilityTrend implements DecisionObserver {
  readonly #parts: ReachabilityTrendParts;
  /** Of the running minute. */
  #tallies = new Map<string, RunningTally>();
  #minuteMs = 0;
  #waiting: AgentMinute[] = [];
  readonly #writing = new SingleFlight<void>();
  #stopTimer: () => void = () => {};
  #hasFailed = false;

  constructor(parts: ReachabilityTrendParts) {
    this.#parts = parts;
  }

  /** From now on, until it is closed. */
  start(): void {
    this.#sample();
    this.#stopTimer = this.#parts.clock.after(SAMPLED_EVERY_MS, () => this.start());
  }

  decided({ decision: { outcome, targetAgent } }: DecisionMade): void {
    if (targetAgent !== null && (outcome === 'routed' || outcome === 'fallback')) {
      this.#count(targetAgent, 'routed');
    }
  }

  /** Counts the calls that fail on their way to health. */
  counting(calls: CallObserver): CallObserver {
    return {
      begin: (agentName, instanceId, capabilityId) => {
        const end = calls.begin(agentName, instanceId, capabilityId);
        return (outcome) => {
          end(outcome);
          if (FAILURES.has(outcome.outcome)) this.#count(agentName, 'failed');
        };
      },
    };
  }

  /**
   * The minutes, hours and days of the last `hours`, as far as they are kept, the running ones included.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async of(agentName: string, hours: number): Promise<Trend> {
    const { store, team, clock } = this.#parts;
    await this.flush();
    const sinceMs = clock.now() - hours * PERIODS.hour;
    const [minutes = [], hourly = [], days = []] = await Promise.all(
      PERIOD_NAMES.map(async (period) => {
        const rows = await store.rows(team, agentName, period, startOf(period, sinceMs));
        // Of the running minute the replica that samples has not written yet what it saw.
        return rows.filter(({ samples }) => samples > 0).map(pointOf);
      }),
    );
    return { agentName, minutes, hours: hourly, days };
  }

  /** Lets go of some of what is too old; true where more is left to do. */
  prune(): Promise<boolean> {
    const { store, team, clock } = this.#parts;
    const before = PERIOD_NAMES.map((period) => [period, clock.now() - KEPT_MS[period]] as const);
    return store.prune(team, Object.fromEntries(before) as Record<Period, number>);
  }

  /** Resolves when what was seen so far is written, or the store has refused it. */
  async flush(): Promise<void> {
    this.#endTallies();
    await this.#writing.run(() => this.#writeAll());
  }

  async close(): Promise<void> {
    this.#stopTimer();
    await this.flush();
  }

  #sample(): void {
    const { agents, summaryOf } = this.#parts;
    this.#turnMinute();
    if (!this.#samples) return;
    for (const agentName of agents()) {
      const tally = tallyOf(summaryOf(agentName));
      const before = this.#tallies.get(agentName);
      if (tally.registered > 0 || before !== undefined) {
        this.#tallies.set(agentName, before === undefined ? tally : sumOf(before, tally));
      }
    }
  }

  #count(agentName: string, what: 'routed' | 'failed'): void {
    this.#turnMinute();
    const tally = this.#tallies.get(agentName) ?? this.#firstTally(agentName);
    tally[what] += 1;
    this.#tallies.set(agentName, tally);
  }

  get #samples(): boolean {
    return this.#parts.shares.owns(SAMPLING);
  }

  #firstTally(agentName: string): RunningTally {
    const counts = { routed: 0, failed: 0 };
    return this.#samples ? tallyOf(this.#parts.summaryOf(agentName)) : { ...NOT_SEEN, ...counts };
  }

  #turnMinute(): void {
    const minuteMs = startOf('minute', this.#parts.clock.now());
    if (minuteMs === this.#minuteMs) return;
    void this.flush();
    this.#minuteMs = minuteMs;
  }

  #endTallies(): void {
    const atMs = this.#minuteMs;
    for (const [agentName, tally] of this.#tallies) this.#waiting.push({ agentName, atMs, ...tally });
    this.#tallies = new Map();
    this.#waiting.splice(0, Math.max(0, this.#waiting.length - MOST_WAITING));
  }

  /** Until none waits, or the store refuses; then what is left waits for the next minute. Never rejects. */
  async #writeAll(): Promise<void> {
    const { store, team, report } = this.#parts;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, BATCH);
        await store.add(team, batch);
        // Meanwhile others may have come, and the oldest may have gone to make room for them.
        const written = new Set(batch);
        this.#waiting = this.#waiting.filter((tally) => !written.has(tally));
        this.#hasFailed = false;
        // Where the store answers at once, others have their turn between two batches.
        await setImmediate();
      }
    } catch (thrown) {
      const { message } = asReachError(thrown);
      if (!this.#hasFailed) report(`Reachability cannot be recorded: ${message}`);
      this.#hasFailed = true;
    }
  }
}
