import { describe, expect, test } from 'vitest';
import { PERIODS } from '../../../src/record/trend-store.js';
import { RedisTrendStore } from '../../../src/storage/redis/trend-store.js';
import { minute } from '../../record/records.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { trendStoreContract } from '../trend-store.contract.js';

const DAY = Date.UTC(2026, 0, 2);
const { minute: MINUTE } = PERIODS;

describeWithRedis('in a Redis', () => {
  trendStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisTrendStore(link), close: () => link.close() };
  });

  describe('reachability of several replicas', () => {
    test('adds up, to the last bit of a sum', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisTrendStore(link));
      const added = Array.from({ length: 60 }, (_, place) => minute('a', DAY, 0.1, { routed: place }));
      await Promise.all(added.map((tally, place) => stores[place % 3]?.add('t', [tally])));
      const reachabilitySum = added.reduce((sum, tally) => sum + tally.reachabilitySum, 0);
      for (const period of ['minute', 'hour', 'day'] as const) {
        const rows = await stores[0]?.rows('t', 'a', period, 0);
        expect(rows).toMatchObject([{ samples: 60, reachabilitySum, reachabilityMin: 0.1, routed: 1_770 }]);
      }
    });

    test('of agents whose names begin alike is not mixed up', async () => {
      const store = new RedisTrendStore(await replicaLink());
      await store.add('t', [minute('a', DAY, 1), minute('a-b', DAY, 0.5), minute('a0', DAY, 0)]);
      expect(await store.rows('t', 'a', 'minute', 0)).toMatchObject([{ reachabilitySum: 1 }]);
      expect(await store.rows('t', 'a-b', 'minute', 0)).toMatchObject([{ reachabilitySum: 0.5 }]);
    });

    test('leaves no key behind when all is let go of', async () => {
      const link = await replicaLink();
      const store = new RedisTrendStore(link);
      await store.add(
        't',
        Array.from({ length: 500 }, (_, each) => minute(`a-${each}`, DAY + each * MINUTE, 1)),
      );
      const before = DAY + 1_000 * PERIODS.day;
      while (await store.prune('t', { minute: before, hour: before, day: before }));
      expect(await link.ask((client) => client.keys(link.key('t', 'trends', '*')))).toEqual([
        link.key('t', 'trends', 'before'),
      ]);
    });
  });
});
