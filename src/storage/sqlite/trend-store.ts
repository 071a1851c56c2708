import {
  type AgentMinute,
  PERIOD_NAMES,
  PERIODS,
  type Period,
  startOf,
  type TrendRow,
  type TrendStore,
} from '../../record/trend-store.js';
import type { SqliteFile } from './sqlite-file.js';

/** Rows of a period that are let go of before others have their turn. */
const PRUNED = 500;

/** Rolled-up reachability in a SQLite file. */
export class SqliteTrendStore implements TrendStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#statements = prepareStatements(file);
  }

  async add(team: string, tallies: readonly AgentMinute[]): Promise<void> {
    this.#file.soon(() => {
      for (const { agentName, atMs, ...tally } of tallies) {
        for (const period of PERIOD_NAMES) {
          const row = { ...tally, atMs: startOf(period, atMs) };
          this.#statements.add.run({ team, agentName, periodMs: PERIODS[period], ...row });
        }
      }
    });
  }

  async rows(team: string, agentName: string, period: Period, fromMs: number): Promise<readonly TrendRow[]> {
    return this.#file.read(
      () => this.#statements.rows.all(team, agentName, PERIODS[period], fromMs) as TrendRow[],
    );
  }

  async prune(team: string, beforeMs: Readonly<Record<Period, number>>): Promise<boolean> {
    return this.#file.soon(() => {
      const gone = PERIOD_NAMES.map(
        (period) => this.#statements.prune.run(team, PERIODS[period], beforeMs[period], PRUNED).changes,
      );
      return gone.includes(PRUNED);
    });
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    add: file.prepare(`
      INSERT INTO trends VALUES (
        $team, $agentName, $periodMs, $atMs, $samples, $reachabilitySum, $reachabilityMin, $eligible,
        $registered, $routed, $failed
      )
      ON CONFLICT DO UPDATE SET
        samples = samples + excluded.samples,
        reachability_sum = reachability_sum + excluded.reachability_sum,
        reachability_min = min(reachability_min, excluded.reachability_min),
        eligible = min(eligible, excluded.eligible),
        registered = max(registered, excluded.registered),
        routed = routed + excluded.routed,
        failed = failed + excluded.failed`),
    rows: file.prepare(`
      SELECT at_ms AS atMs, samples, reachability_sum AS reachabilitySum, reachability_min AS reachabilityMin,
        eligible, registered, routed, failed
      FROM trends WHERE team = ? AND agent_name = ? AND period_ms = ? AND at_ms >= ? ORDER BY at_ms`),
    prune: file.prepare(`
      DELETE FROM trends WHERE (team, agent_name, period_ms, at_ms) IN (
        SELECT team, agent_name, period_ms, at_ms FROM trends
        WHERE team = ? AND period_ms = ? AND at_ms < ? ORDER BY at_ms LIMIT ?
      )`),
  };
}
