import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { HeartbeatInterval } from '../../src/registry/heartbeat-interval.js';
import type { Heartbeat } from '../../src/wire/instances.js';
import { ADDRESS, openInstances } from './instance-fixture.js';

const NODES = 400;
const RUN_MS = 600_000;
const STEP_MS = 250;
/** What a fleet costs in which everybody beats every 5 s. */
const FIXED_BEATS = (NODES * RUN_MS) / 5_000;

/** A fleet that starts in one moment and beats when it is asked to; `report` is what a node says at a time. */
async function beatsOf(report: (node: number, random: () => number) => Heartbeat) {
  const random = seededRandom(7);
  const { registry, clock, follower, beat } = await openInstances({ random });
  const nodes = Array.from({ length: NODES }, (_, node) => ({
    agentName: 'reports',
    instanceId: `i${node}`,
  }));
  const dueAt = await Promise.all(
    nodes.map(async (name) => (await registry.register(name, { address: ADDRESS })).nextHeartbeatMs),
  );
  follower.take();
  const perSecond = new Array<number>(RUN_MS / 1_000).fill(0);
  for (let now = 0; now < RUN_MS; now += STEP_MS) {
    clock.pass(STEP_MS);
    for (const [node, name] of nodes.entries()) {
      if ((dueAt[node] ?? 0) > clock.monotonic()) continue;
      const { nextHeartbeatMs } = beat(report(node, random), name);
      dueAt[node] = clock.monotonic() + nextHeartbeatMs;
      perSecond[Math.floor(now / 1_000)] = (perSecond[Math.floor(now / 1_000)] ?? 0) + 1;
    }
  }
  registry.close();
  return { total: perSecond.reduce((sum, beats) => sum + beats, 0), perSecond, told: follower.take() };
}

const calm = (_node: number, random: () => number): Heartbeat => ({
  pending: Math.round(random()),
  load: 0.4 + 0.1 * random(),
});

describe('a fleet of hundreds of nodes', () => {
  test('sends at least 36 % fewer heartbeats than every 5 s while it is calm, and loses no lease', async () => {
    const { total, told } = await beatsOf(calm);
    expect(total / FIXED_BEATS).toBeLessThan(0.64);
    expect(told).toEqual([]);
  });

  test('that started in one moment is no flood of heartbeats later', async () => {
    const { perSecond } = await beatsOf(calm);
    const later = perSecond.slice(RUN_MS / 2_000);
    const mean = later.reduce((sum, beats) => sum + beats, 0) / later.length;
    expect(Math.max(...later)).toBeLessThan(3 * mean);
  });

  test('of which a tenth flaps lets those alone beat more often', async () => {
    const flaps = (node: number) => node % 10 === 0;
    const { total } = await beatsOf((node, random) =>
      flaps(node) ? { state: random() < 0.5 ? 'paused' : 'up', pending: 50 * random() } : calm(node, random),
    );
    const calmTotal = (await beatsOf(calm)).total;
    // Even all the time at the shortest wait of 1.8 s, they could not beat more often than this.
    const mostOfFlapping = (NODES / 10) * (RUN_MS / 1_800);
    expect(total).toBeGreaterThan(calmTotal * 1.5);
    expect(total).toBeLessThan(calmTotal + mostOfFlapping);
    expect(total / FIXED_BEATS).toBeLessThan(0.64);
  });
});

describe('the wait between two beats', () => {
  const up = { state: 'up', pending: 0, load: 0 } as const;

  test('grows while nothing moves, from 10 s to 20 s', () => {
    const interval = new HeartbeatInterval(() => 0.5);
    expect(interval.next()).toBe(10_000);
    expect([1, 2, 3, 4].map(() => interval.after(up, false))).toEqual([10_000, 15_000, 20_000, 20_000]);
  });

  test.each([
    ['the state', { ...up, state: 'paused' as const }],
    ['pending', { ...up, pending: 2 }],
    ['load', { ...up, load: 0.2 }],
  ])('halves when %s moves, down to 2 s', (_, moved) => {
    const interval = new HeartbeatInterval(() => 0.5);
    interval.after(up, false);
    const waits = [moved, up, moved, up].map((report) => interval.after(report, false));
    expect(waits).toEqual([5_000, 2_500, 2_000, 2_000]);
  });

  test.each([
    ['one call more', { ...up, pending: 1 }],
    ['a little load', { ...up, load: 0.1 }],
  ])('does not mind %s', (_, moved) => {
    const interval = new HeartbeatInterval(() => 0.5);
    interval.after(up, false);
    expect(interval.after(moved, false)).toBe(15_000);
  });

  test('is jittered by a tenth, and 2 s for a fenced instance, which then goes on as it was', () => {
    const least = new HeartbeatInterval(() => 0);
    const most = new HeartbeatInterval(() => 1);
    expect([least.next(), most.next()]).toEqual([9_000, 11_000]);
    expect([least.after(up, true), most.after(up, true)]).toEqual([1_800, 2_200]);
    expect(least.after(up, false)).toBe(13_500);
  });
});
