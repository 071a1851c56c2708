import { expect, onTestFinished, test, vi } from 'vitest';
import { RedisClock } from '../../../src/storage/redis/redis-clock.js';
import { HandClock } from '../../support/hand-clock.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  ownRedis,
  replicaLink,
  replicaLinks,
} from '../../support/redis.js';
import { until } from '../../support/until.js';

const FAR_MS = 30_000;
/** For a busy machine. */
const NEAR_MS = 1_000;

function apart(one: number, other: number): number {
  return Math.abs(one - other);
}

describeWithRedis('the time of Redis', () => {
  test('is the same for all who share it, whatever the clocks of their machines say', async () => {
    const links = await replicaLinks(2);
    const [ahead, behind] = [Date.now() + FAR_MS, Date.now() - FAR_MS];
    const wallClock = vi.spyOn(Date, 'now').mockReturnValue(ahead);
    onTestFinished(() => wallClock.mockRestore());
    const clocks = await Promise.all(links.map((link) => RedisClock.open(link)));
    onTestFinished(async () => {
      await Promise.all(clocks.map((clock) => clock.close()));
    });
    wallClock.mockReturnValue(behind);
    const [one = 0, other = 0] = clocks.map((clock) => clock.now());
    expect(apart(one, other)).toBeLessThan(NEAR_MS);
    expect(apart(one, (ahead + behind) / 2)).toBeLessThan(NEAR_MS * 10);
  });

  test('is asked again, since clocks drift', async () => {
    const base = new HandClock();
    const clock = await RedisClock.open(await replicaLink(), base);
    onTestFinished(() => clock.close());
    const before = clock.now();
    base.pass(FAR_MS);
    expect(clock.now()).toBe(before + FAR_MS);
    await until(() => apart(clock.now(), Date.now()) < NEAR_MS * 10);
  });
});

describeWithRedisServer('the time of a Redis that is away', () => {
  test('goes on', async () => {
    const server = await ownRedis();
    const base = new HandClock();
    const clock = await RedisClock.open(await replicaLink(server.url), base);
    onTestFinished(() => clock.close());
    await server.end();
    const before = clock.now();
    for (let round = 0; round < 3; round += 1) {
      base.pass(FAR_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(clock.now()).toBe(before + 3 * FAR_MS);
  });
});
