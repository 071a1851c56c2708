import { describe, expect, onTestFinished, test } from 'vitest';
import type { StoredInstance } from '../../../src/registry/instance-store.js';
import { openStores } from '../../../src/storage/open-stores.js';
import { KEPT_IN_REDIS, RedisCatalogueStore } from '../../../src/storage/redis/catalogue-store.js';
import { RedisChangeFeed } from '../../../src/storage/redis/change-feed.js';
import { RedisInstanceStore } from '../../../src/storage/redis/instance-store.js';
import { RedisLeaseStore } from '../../../src/storage/redis/lease-store.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  freshRedisUrl,
  openRedisLink,
  ownRedis,
  replicaLink,
  replicaLinks,
} from '../../support/redis.js';
import { until } from '../../support/until.js';
import { catalogueStoreContract } from '../catalogue-store.contract.js';
import { instanceStoreContract } from '../instance-store.contract.js';

const manifest = (agentName: string, manifestVersion: number) => ({
  ...{ agentName, manifestVersion, source: 'api' as const },
  document: { agent_name: agentName, manifest_version: manifestVersion, capabilities: [] },
});
const instance = (instanceId: string, more: Partial<StoredInstance> = {}) => ({
  ...{ agentName: 'a', instanceId, address: 'http://10.0.0.1', healthAddress: undefined, weight: 100 },
  ...{ region: undefined, labels: {}, version: undefined, incarnation: undefined, draining: false },
  ...more,
});

describeWithRedis('in a Redis', () => {
  catalogueStoreContract('Redis', KEPT_IN_REDIS, async () => {
    const link = await openRedisLink();
    return { store: new RedisCatalogueStore(link), close: () => link.close() };
  });
  instanceStoreContract('Redis', async () => {
    const stores = await openStores({ store: freshRedisUrl(), data: null });
    return { stores, close: () => stores.close() };
  });

  describe('a catalogue of several replicas', () => {
    test('has one version more for each save that was taken, whoever came first', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisCatalogueStore(link));
      const taken: number[] = [];
      await Promise.all(
        stores.map(async (store) => {
          for (let round = 0; round < 60; round += 1) {
            const newest = await store.newest('t', 'raced');
            const version = newest?.manifest.manifestVersion ?? 0;
            const saved = store.save('t', manifest('raced', version + 1), version === 0 ? null : version);
            await saved.then(
              () => taken.push(version + 1),
              (error: unknown) => expect(error).toMatchObject({ code: 'MANIFEST_VERSION_STALE' }),
            );
          }
        }),
      );
      expect(taken.toSorted((a, b) => a - b)).toEqual(taken.map((_, index) => index + 1));
      expect((await stores[0]?.load('t'))?.version).toBe(taken.length);
    });

    test('loads thousands of agents page by page, each once', async () => {
      const store = new RedisCatalogueStore(await replicaLink());
      const names = Array.from({ length: 2_000 }, (_, index) => `agent-${index}`);
      await Promise.all(names.map((name) => store.save('t', manifest(name, 1), null)));
      const { version, manifests } = await store.load('t');
      expect(version).toBe(names.length);
      expect(manifests.map(({ agentName }) => agentName).toSorted()).toEqual(names.toSorted());
    });
  });

  describe('the feed', () => {
    test('tells every change in order, by the number that its writer was given', async () => {
      const [one, other] = await replicaLinks(2);
      if (one === undefined || other === undefined) throw new Error('two links were asked for');
      const feed = new RedisChangeFeed(other);
      const catalogue = new RedisCatalogueStore(one);
      const instances = new RedisInstanceStore(one);
      const start = await feed.position('t');
      expect(start).toEqual({ life: expect.any(String), seq: 0 });
      expect(await feed.after('t', 0)).toEqual([]);
      const saved = await catalogue.save('t', manifest('a', 1), null);
      const addrVersion = await instances.save('t', instance('i'), null);
      await instances.save('t', instance('i', { draining: true }), addrVersion);
      await instances.remove('t', [
        { agentName: 'a', instanceId: 'i' },
        { agentName: 'a', instanceId: 'j' },
      ]);
      const removed = await catalogue.remove('t', 'a', 1);
      expect(await feed.after('t', 0)).toEqual([
        { seq: saved, kind: 'agent', agentName: 'a', manifestVersion: 1 },
        { seq: addrVersion, kind: 'instance', agentName: 'a', instanceId: 'i' },
        { seq: 3, kind: 'instance', agentName: 'a', instanceId: 'i' },
        { seq: 4, kind: 'instance', agentName: 'a', instanceId: 'i' },
        { seq: removed, kind: 'agent', agentName: 'a', manifestVersion: undefined },
      ]);
      expect(await feed.after('t', 4)).toHaveLength(1);
      expect(await feed.position('t')).toEqual({ ...start, seq: removed });
      expect(await feed.position('u')).toMatchObject({ seq: 0 });
    });

    test('says where some changes are not kept any more', async () => {
      const link = await replicaLink();
      const feed = new RedisChangeFeed(link);
      const catalogue = new RedisCatalogueStore(link);
      for (let version = 1; version <= 5; version += 1) {
        await catalogue.save('t', manifest('a', version), version === 1 ? null : version - 1);
      }
      await link.ask((client) => client.xtrim(link.key('t', 'feed'), 'MAXLEN', 2));
      expect(await feed.after('t', 2)).toBeUndefined();
      expect(await feed.after('t', 3)).toHaveLength(2);
      await link.ask((client) => client.xtrim(link.key('t', 'feed'), 'MAXLEN', 0));
      expect(await feed.after('t', 3)).toBeUndefined();
      expect(await feed.after('t', 5)).toEqual([]);
    });
  });

  test('leases hold for as long as any replica has granted them, by the clock of the store', async () => {
    const [one, other] = await replicaLinks(2);
    if (one === undefined || other === undefined) throw new Error('two links were asked for');
    const noted = { agentName: 'a', instanceId: 'long', leaseMs: 60_000 };
    await new RedisLeaseStore(one).note('t', [noted, { ...noted, instanceId: 'short', leaseMs: 20 }]);
    const names = ['long', 'short', 'never'].map((instanceId) => ({ agentName: 'a', instanceId }));
    const leases = new RedisLeaseStore(other);
    await until(async () => (await leases.left('t', names))[1] === 0);
    const [long = 0, , never] = await leases.left('t', names);
    expect(long).toBeGreaterThan(30_000);
    expect(long).toBeLessThanOrEqual(60_000);
    expect(never).toBe(0);
    expect(await leases.left('t', [])).toEqual([]);
    // One that was granted before, and is noted late.
    await leases.note('t', [{ ...noted, leaseMs: 5 }]);
    expect((await leases.left('t', names))[0]).toBeGreaterThan(30_000);
  });
});

describeWithRedisServer('who follows the feed', () => {
  test('is told after each change, after a loss, and where the store came back empty', async () => {
    const server = await ownRedis();
    const link = await replicaLink(server.url);
    const feed = new RedisChangeFeed(link);
    const catalogue = new RedisCatalogueStore(link);
    const before = await feed.position('t');
    let told = 0;
    onTestFinished(
      feed.follow('t', () => {
        told += 1;
      }),
    );
    await until(() => told > 0);
    told = 0;
    await catalogue.save('t', manifest('a', 1), null);
    await until(() => told > 0, 2_000);
    await server.end('SIGKILL');
    told = 0;
    await server.begin();
    await until(() => told > 0 && link.status().state === 'ok');
    expect(await feed.position('t')).toEqual({ ...before, seq: 1 });
    await link.ask((client) => client.flushall());
    told = 0;
    await until(() => told > 0);
    const after = await feed.position('t');
    expect(after.seq).toBe(0);
    expect(after.life).not.toBe(before.life);
    told = 0;
    await catalogue.save('t', manifest('a', 1), null);
    await until(() => told > 0);
  });
});
