import {
  type AgentMinute,
  PERIOD_NAMES,
  type Period,
  startOf,
  sumOf,
  type TrendRow,
  type TrendStore,
} from '../../record/trend-store.js';

/** Rows of a period that are kept, of all agents together: some 20 MB. */
const MOST_ROWS = 100_000;

interface Kept extends TrendRow {
  readonly team: string;
  readonly agentName: string;
}

/** Rolled-up reachability for as long as the process lives; where there are too many rows, the oldest go. */
export class MemoryTrendStore implements TrendStore {
  readonly #rows: Readonly<Record<Period, Map<string, Kept>>> = {
    minute: new Map(),
    hour: new Map(),
    day: new Map(),
  };

  async add(team: string, tallies: readonly AgentMinute[]): Promise<void> {
    for (const period of PERIOD_NAMES) {
      for (const tally of tallies) this.#add(period, team, tally);
    }
  }

  async rows(team: string, agentName: string, period: Period, fromMs: number): Promise<readonly TrendRow[]> {
    const isMeant = (row: Kept) => row.team === team && row.agentName === agentName && row.atMs >= fromMs;
    return [...this.#rows[period].values()]
      .filter(isMeant)
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ team: _, agentName: __, ...row }) => row);
  }

  async prune(team: string, beforeMs: Readonly<Record<Period, number>>): Promise<boolean> {
    for (const period of PERIOD_NAMES) {
      for (const [key, row] of this.#rows[period]) {
        if (row.team === team && row.atMs < beforeMs[period]) this.#rows[period].delete(key);
      }
    }
    return false;
  }

  #add(period: Period, team: string, { agentName, atMs: minuteMs, ...tally }: AgentMinute): void {
    const rows = this.#rows[period];
    const atMs = startOf(period, minuteMs);
    const key = JSON.stringify([team, agentName, atMs]);
    const before = rows.get(key);
    rows.set(key, { team, agentName, atMs, ...(before === undefined ? tally : sumOf(before, tally)) });
    const [oldest] = rows.keys();
    if (rows.size > MOST_ROWS && oldest !== undefined) rows.delete(oldest);
  }
}
