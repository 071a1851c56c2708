import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../src/storage/redis/session-store.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { storedSession } from '../../support/sessions.js';
import { sessionStoreContract } from '../session-store.contract.js';

describeWithRedis('in a Redis', () => {
  sessionStoreContract('Redis', async (most) => {
    const link = await openRedisLink();
    return { store: new RedisSessionStore(link, most), close: () => link.close() };
  });

  describe('sessions of several replicas', () => {
    test('have one change a revision, whoever makes it', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisSessionStore(link));
      const won: number[] = [];
      const write = async (store: RedisSessionStore, writer: number) => {
        for (let round = 0; round < 100; round += 1) {
          const kept = (await store.find('t', 's'))?.revision ?? 0;
          const session = storedSession('s', { revision: kept + 1, summary: `${writer}` });
          if (await store.save('t', session)) won.push(kept + 1);
        }
      };
      await Promise.all(stores.flatMap((store, writer) => [write(store, writer), write(store, writer + 10)]));
      expect(new Set(won).size).toBe(won.length);
      expect(await stores[0]?.find('t', 's')).toMatchObject({ revision: won.length });
    });

    test('are no more than may be kept, and leave nothing behind', async () => {
      const link = await replicaLink();
      const store = new RedisSessionStore(link, 10);
      for (let at = 1; at <= 30; at += 1)
        await store.save('t', storedSession(`s${at}`, { updatedAtMs: at, expiresAtMs: at }));
      await store.remove('t', 's30');
      const keys = ['summaries', 'documents', 'by-change', 'by-end'].map((part) =>
        link.key('t', 'sessions', part),
      );
      const [summaries = '', documents = '', byChange = '', byEnd = ''] = keys;
      const counts = () =>
        link.ask((client) =>
          Promise.all([
            client.hlen(summaries),
            client.hlen(documents),
            client.zcard(byChange),
            client.zcard(byEnd),
          ]),
        );
      expect(await counts()).toEqual([9, 9, 9, 9]);
      await store.prune('t', 100);
      expect(await counts()).toEqual([0, 0, 0, 0]);
    });

    test('are pruned and listed in slices, those that are over left out', async () => {
      const link = await replicaLink();
      const store = new RedisSessionStore(link);
      const saves = Array.from({ length: 450 }, (_, at) =>
        store.save('t', storedSession(`s${at}`, { updatedAtMs: at, expiresAtMs: at < 440 ? 5 : 50 })),
      );
      await Promise.all(saves);
      expect(await store.list('t', { nowMs: 5, limit: 100 })).toHaveLength(10);
      expect(await store.list('t', { nowMs: 0, limit: 300 })).toHaveLength(300);
      const [latest] = await store.list('t', { nowMs: 0, limit: 1 });
      expect(latest).toMatchObject({ sessionId: 's449' });
      const left = [await store.prune('t', 5), await store.prune('t', 5), await store.prune('t', 5)];
      expect(left).toEqual([true, true, false]);
      expect(await store.list('t', { nowMs: 0, limit: 300 })).toHaveLength(10);
    });
  });
});
