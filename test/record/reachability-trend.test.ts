import { describe, expect, test } from 'vitest';
import { ALL_OURS, type Shares } from '../../src/cluster/shares.js';
import { reachabilityOf } from '../../src/health/instance-view.js';
import { ReachabilityTrend } from '../../src/record/reachability-trend.js';
import { PERIODS, type TrendStore } from '../../src/record/trend-store.js';
import { MemoryTrendStore } from '../../src/storage/memory/trend-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import { instance } from '../support/candidates.js';
import { HandClock } from '../support/hand-clock.js';
import { decision } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { minute: MINUTE, hour: HOUR, day: DAY } = PERIODS;
const at = (ms: number) => new Date(ms).toISOString();

/** A trend of one agent, as reachable as the test says. Time begins in 1970. */
function trendOver(
  store: TrendStore = new MemoryTrendStore(),
  clock = new HandClock(),
  shares: Shares = ALL_OURS,
) {
  const now = { reachability: 1 };
  const said: string[] = [];
  const trend = new ReachabilityTrend({
    store,
    team: 't',
    summaryOf: (agentName) =>
      agentName === 'reports'
        ? reachabilityOf([instance(), instance({ state: 'down', ...now })])
        : reachabilityOf([]),
    agents: () => ['reports', 'without-instances'],
    shares,
    clock,
    report: (message) => said.push(message),
  });
  /** Lets time pass as it does: each sample has its turn. */
  const pass = async (durationMs: number) => {
    for (let passed = 0; passed < durationMs; passed += 10_000) clock.pass(10_000);
    await trend.flush();
  };
  const routed = (agentName: string | null, outcome: typeof decision.outcome = 'routed') =>
    trend.decided({
      atMs: clock.now(),
      request: {},
      decision: { ...decision, outcome, targetAgent: agentName },
    });
  return { trend, clock, now, said, pass, routed };
}

describe('ReachabilityTrend', () => {
  test('has the mean and the least of each minute, hour and day, across the borders in UTC', async () => {
    const { trend, clock, now, pass } = trendOver();
    clock.pass(DAY - 2 * MINUTE);
    trend.start();
    await pass(MINUTE);
    now.reachability = 0.4;
    await pass(2 * MINUTE);
    const { minutes, hours, days } = await trend.of('reports', 24);
    expect(minutes.map((point) => point.at)).toEqual([-2, -1, 0, 1].map((each) => at(DAY + each * MINUTE)));
    const low = { mean: 0.7, min: 0.4 };
    expect(minutes[0]).toEqual({
      at: at(DAY - 2 * MINUTE),
      reachability: { mean: 1, min: 1 },
      eligible: 1,
      registered: 2,
      routed: 0,
      failed: 0,
    });
    expect(minutes[2]?.reachability.mean).toBeCloseTo(low.mean, 9);
    expect(hours).toMatchObject([{ at: at(DAY - HOUR), reachability: { min: 0.4 } }, { at: at(DAY) }]);
    // Of the day that ends there, 7 samples of 12 were whole.
    expect(hours[0]?.reachability.mean).toBeCloseTo((7 + 5 * 0.7) / 12, 9);
    expect(days.map((point) => point.at)).toEqual([at(0), at(DAY)]);
    expect(days[0]?.reachability.mean).toBeCloseTo((7 + 5 * 0.7) / 12, 9);
  });

  test('counts decisions for an agent, and calls of it that fail', async () => {
    const { trend, routed } = trendOver();
    trend.start();
    routed('reports');
    routed('reports', 'fallback');
    routed('reports', 'unreachable');
    routed(null, 'human');
    const told: string[] = [];
    const calls = trend.counting({ begin: () => (outcome) => told.push(outcome.outcome) });
    for (const outcome of [
      'completed',
      'failed',
      'timeout',
      'unreachable',
      'refused',
      'busy',
      'needs_auth',
    ]) {
      calls.begin('reports', 'a', 'weekly')({ outcome: outcome as 'failed', elapsedMs: 1 });
    }
    expect(told).toHaveLength(7);
    expect((await trend.of('reports', 1)).minutes).toMatchObject([{ routed: 2, failed: 3 }]);
    expect((await trend.of('without-instances', 1)).minutes).toEqual([]);
  });

  test('goes on where it stood after a restart, within a minute and over its hours', async () => {
    const folder = await temporaryFolder();
    const clock = new HandClock();
    for (const _ of ['first', 'second']) {
      const stores = await openStores({ store: null, data: folder });
      const { trend, pass, routed } = trendOver(stores.trends, clock);
      trend.start();
      routed('reports');
      await pass(20_000);
      await trend.close();
      expect(clock.delays).toEqual([]);
      await stores.close();
    }
    const stores = await openStores({ store: null, data: folder });
    const { minutes, hours, days } = await trendOver(stores.trends, clock).trend.of('reports', 1);
    await stores.close();
    expect(minutes.map(({ routed }) => routed)).toEqual([2]);
    expect(hours).toMatchObject([{ routed: 2, reachability: { mean: 1 } }]);
    expect(days).toMatchObject([{ routed: 2 }]);
  });

  test('keeps minutes for 2 days, hours for 30, days for a year', async () => {
    const { trend, clock, routed } = trendOver();
    for (let day = 0; day < 400; day++) {
      routed('reports');
      clock.pass(DAY);
    }
    await trend.flush();
    expect(await trend.prune()).toBe(false);
    const { minutes, hours, days } = await trend.of('reports', 500 * 24);
    expect([minutes.length, hours.length, days.length]).toEqual([2, 30, 365]);
    expect((await trend.of('reports', 72)).days).toHaveLength(3);
  });

  test('keeps what a store that fails has not taken', async () => {
    const memory = new MemoryTrendStore();
    let works = false;
    const store: TrendStore = {
      add: async (...args) => {
        if (!works) throw new Error('full');
        await memory.add(...args);
      },
      rows: (...args) => memory.rows(...args),
      prune: (...args) => memory.prune(...args),
    };
    const { trend, pass, said } = trendOver(store);
    trend.start();
    await pass(3 * MINUTE);
    expect(said).toEqual(['Reachability cannot be recorded: full']);
    works = true;
    expect((await trend.of('reports', 1)).minutes).toHaveLength(4);
  });

  test('of three replicas is sampled by one, and counts the decisions of all, also when another takes over', async () => {
    const store = new MemoryTrendStore();
    const clock = new HandClock();
    let owner = 1;
    const replicas = [0, 1, 2].map((each) =>
      trendOver(store, clock, { ...ALL_OURS, owns: () => each === owner }),
    );
    clock.pass(DAY);
    for (const { trend } of replicas) trend.start();
    const [first] = replicas;
    const pass = async (durationMs: number) => {
      await first?.pass(durationMs);
      for (const { trend } of replicas) await trend.flush();
    };
    for (const { routed } of replicas) routed('reports');
    await pass(MINUTE);
    owner = 2;
    for (const { routed } of replicas) routed('reports');
    await pass(MINUTE);
    const rows = await store.rows('t', 'reports', 'minute', 0);
    expect(rows.slice(0, 2)).toMatchObject([
      { samples: 6, routed: 3, eligible: 1, registered: 2 },
      // Who takes over looks once more, with its first decision.
      { samples: 7, routed: 3, eligible: 1, registered: 2 },
    ]);
    const trends = await Promise.all(replicas.map(({ trend }) => trend.of('reports', 24)));
    for (const { minutes } of trends) expect(minutes.slice(0, 2)).toEqual(trends[0]?.minutes.slice(0, 2));
  });
});
