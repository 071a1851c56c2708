import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { ALL_OURS } from '../../src/cluster/shares.js';
import { InstanceRegistry } from '../../src/registry/instance-registry.js';
import { SharedLeases } from '../../src/registry/shared-leases.js';
import { StoreFollower } from '../../src/registry/store-follower.js';
import { RedisChangeFeed } from '../../src/storage/redis/change-feed.js';
import { RedisInstanceStore } from '../../src/storage/redis/instance-store.js';
import { RedisLeaseStore } from '../../src/storage/redis/lease-store.js';
import type { RedisLink } from '../../src/storage/redis/redis-link.js';
import { HandClock } from '../support/hand-clock.js';
import { LocalBus } from '../support/local-bus.js';
import { describeWithRedis, freshRedisUrl, replicaLink, replicaLinks } from '../support/redis.js';
import { until } from '../support/until.js';
import { ADDRESS, NAME, OTHER_ADDRESS } from './instance-fixture.js';

const TEAM = 'default';

/** Instances in step with the store behind a link. The time of their leases passes where a test lets it. */
async function openReplica(link: RedisLink, bus: LocalBus, replicaId: string) {
  const clock = new HandClock();
  const reports: string[] = [];
  const report = (message: string) => void reports.push(message);
  const follower = new StoreFollower({
    feed: new RedisChangeFeed(link),
    team: TEAM,
    clock: systemClock,
    async apply({ instances }) {
      if (instances.length > 0) await registry.takeOver(instances);
    },
    reload: () => registry.takeOver(),
    report,
  });
  const shared = new SharedLeases({
    ...{ leases: new RedisLeaseStore(link), bus: bus.of(replicaId), shares: ALL_OURS },
    ...{ catchUp: () => follower.catchUp(), team: TEAM, clock, report },
  });
  const store = new RedisInstanceStore(link);
  const registry: InstanceRegistry = new InstanceRegistry({
    ...{ store, team: TEAM, clock, report, random: () => 0.5, shared },
  });
  const told: string[] = [];
  registry.follow({
    applyInstances: (changes) => void told.push(...changes.map(({ kind }) => kind)),
    leaseChanged: (_agentName, _instanceId, holds) => void told.push(holds ? 'holds again' : 'expired'),
  });
  const heard: unknown[] = [];
  const listener = {
    heard(_agentName: string, _instanceId: string, said: unknown) {
      heard.push(said);
      return { commands: [], fenced: false };
    },
  };
  await follower.begin();
  await registry.load();
  registry.hearOthers(listener);
  await follower.catchUp();
  follower.follow();
  onTestFinished(async () => {
    registry.close();
    await follower.close();
  });
  const pass = async (durationMs: number) => {
    for (let rest = durationMs; rest > 0; rest -= 500) clock.pass(Math.min(500, rest));
    await new Promise(setImmediate);
  };
  return {
    registry,
    told,
    heard,
    listener,
    reports,
    pass,
    knows: () => registry.instancesOf(NAME.agentName),
  };
}

async function openReplicas() {
  const url = freshRedisUrl();
  const bus = new LocalBus();
  const [first, second] = await replicaLinks(2, url);
  if (first === undefined || second === undefined) throw new Error('two links were asked for');
  const one = await openReplica(first, bus, 'one');
  const other = await openReplica(second, bus, 'other');
  return { one, other, bus, join: async () => openReplica(await replicaLink(url), bus, 'joiner') };
}

describeWithRedis('instances over one Redis', () => {
  test('what one replica registers, edits, drains or lets go, the others follow', async () => {
    const { one, other } = await openReplicas();
    const { addrVersion } = await one.registry.register(NAME, { address: ADDRESS, weight: 7 });
    await until(() => other.knows().length === 1);
    expect(other.knows()[0]?.instance).toMatchObject({ address: ADDRESS, weight: 7, addrVersion });
    await other.registry.register(NAME, { address: ADDRESS, weight: 9 });
    await until(() => one.knows()[0]?.instance.weight === 9);
    await one.registry.drain(NAME, undefined);
    await until(() => other.knows()[0]?.instance.draining);
    await other.registry.leave(NAME, undefined);
    await until(() => one.knows().length === 0);
    expect(one.told).toEqual(['joined', 'changed', 'changed', 'left']);
    expect(other.told).toEqual(['joined', 'changed', 'changed', 'left']);
  });

  test('one id has one address, however many claim it at once', async () => {
    const { one, other } = await openReplicas();
    const claims = Array.from({ length: 40 }, (_, place) => {
      const { registry } = place % 2 === 0 ? one : other;
      return registry.register(NAME, { address: `http://10.0.1.${place}:1` }).then(
        () => 'taken over',
        (thrown: { code: string }) => thrown.code,
      );
    });
    const outcomes = await Promise.all(claims);
    expect(outcomes.filter((outcome) => outcome === 'taken over')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['taken over', 'INSTANCE_TAKEN']));
    await until(() => expect(one.knows()[0]?.instance).toEqual(other.knows()[0]?.instance));
  });

  test('a heartbeat counts everywhere: its lease, its order and what it says', async () => {
    const { one, other, bus } = await openReplicas();
    await one.registry.register(NAME, { address: ADDRESS, incarnation: 1 });
    await until(() => other.knows().length === 1);
    one.registry.renew(NAME, { seq: 5, incarnation: 1, pending: 3 }, one.listener);
    bus.deliver();
    expect(other.heard).toEqual([{ state: 'up', pending: 3 }]);
    expect(() => other.registry.renew(NAME, { seq: 5, incarnation: 1 }, other.listener)).toThrow(
      expect.objectContaining({ code: 'HEARTBEAT_STALE' }),
    );
  });

  test('a lease that another replica has renewed does not end, told of it or not', async () => {
    const { one, other } = await openReplicas();
    await one.registry.register(NAME, { address: ADDRESS });
    await until(() => other.knows().length === 1);
    // Noted in the store, and lost on the bus.
    await one.pass(500);
    await other.pass(20_000);
    await until(() => (other.knows()[0]?.leaseMs ?? 0) > 0);
    expect(other.told).toEqual(['joined']);
    await expect(other.registry.register(NAME, { address: OTHER_ADDRESS })).rejects.toMatchObject({
      code: 'INSTANCE_TAKEN',
    });
  });

  test('who joins reads how long leases still hold', async () => {
    const { one, join } = await openReplicas();
    const { leaseMs } = await one.registry.register(NAME, { address: ADDRESS });
    await one.pass(500);
    await until(async () => {
      const joiner = await join();
      const left = joiner.knows()[0]?.leaseMs ?? 0;
      return left > 0 && left <= leaseMs;
    });
  });
});
