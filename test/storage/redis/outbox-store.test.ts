import { describe, expect, test } from 'vitest';
import type { OutboxMessage } from '../../../src/outbox/message.js';
import { RedisOutboxStore } from '../../../src/storage/redis/outbox-store.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { outboxStoreContract } from '../outbox-store.contract.js';

const LIMITS = { messages: 500, chars: 1_000_000 };
const message = (messageId: string, host = 'one.example'): OutboxMessage => ({
  messageId,
  url: `https://${host}/hook`,
  form: 'signed',
  body: '{"text":"周报"}',
  secretRef: undefined,
});
const taken = { state: 'taken', attempts: 1, lastError: null, nextAtMs: undefined } as const;

describeWithRedis('in a Redis', () => {
  outboxStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisOutboxStore(link), close: () => link.close() };
  });

  describe('messages of several replicas', () => {
    test('are taken once each, also where all take at the same time', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisOutboxStore(link));
      const [first] = stores as [RedisOutboxStore];
      const all = Array.from({ length: 300 }, (_, place) => `m${place}`);
      await Promise.all(
        all.map((id, place) => first.add('t', message(id, `h${place % 7}.example`), place, LIMITS)),
      );
      const got: string[] = [];
      const takeAll = async (store: RedisOutboxStore) => {
        for (;;) {
          const next = await store.take('t', 1_000, 31_000, []);
          if (next === undefined) return;
          got.push(next.messageId);
        }
      };
      await Promise.all(stores.flatMap((store) => [takeAll(store), takeAll(store)]));
      expect(got.toSorted()).toEqual(all.toSorted());
      expect(await first.nextDueAt('t', [])).toBe(31_000);
    });

    test('are taken by another where the one that took them has died, and settled once', async () => {
      const links = await replicaLinks(2);
      const [dies, lives] = links.map((link) => new RedisOutboxStore(link)) as [
        RedisOutboxStore,
        RedisOutboxStore,
      ];
      await lives.add('t', message('m'), 0, LIMITS);
      expect(await dies.take('t', 0, 30_000, [])).toMatchObject({ messageId: 'm' });
      await links[0]?.close();
      expect(await lives.take('t', 29_999, 60_000, [])).toBeUndefined();
      expect(await lives.take('t', 30_000, 60_000, [])).toMatchObject({ messageId: 'm', attempts: 0 });
      const ends = [lives.settle('t', 'm', 0, taken, 31_000), lives.settle('t', 'm', 0, taken, 31_000)];
      expect(await Promise.all(ends)).toEqual([true, false]);
      expect(await lives.waiting('t')).toBe(0);
    });

    test('are no more than may wait, whoever adds them', async () => {
      const stores = (await replicaLinks(2)).map((link) => new RedisOutboxStore(link));
      const few = { messages: 10, chars: 1_000_000 };
      const added = await Promise.all(
        Array.from({ length: 40 }, (_, place) => stores[place % 2]?.add('t', message(`m${place}`), 0, few)),
      );
      expect(added.filter((each) => each === 'added')).toHaveLength(10);
      expect(await stores[0]?.waiting('t')).toBe(10);
    });

    test('of a host that is left out hold up no others, and the order of the hosts is kept', async () => {
      const link = await replicaLink();
      const store = new RedisOutboxStore(link);
      for (let place = 0; place < 250; place += 1) {
        await store.add('t', message(`a${place}`, 'hangs.example'), place, LIMITS);
      }
      // A host whose name begins as the other's does.
      await store.add('t', message('b', 'hangs.example.org'), 300, LIMITS);
      expect(await store.take('t', 400, 900, ['hangs.example'])).toMatchObject({ messageId: 'b' });
      expect(await store.nextDueAt('t', ['hangs.example'])).toBe(900);
      expect(await store.nextDueAt('t', ['hangs.example.org'])).toBe(0);
      expect(await store.take('t', 400, 900, [])).toMatchObject({ messageId: 'a0' });
      expect(await store.nextDueAt('t', [])).toBe(1);
    });

    test('of a host that has no more are not taken for those of one whose name begins as its does', async () => {
      const store = new RedisOutboxStore(await replicaLink());
      await store.add('t', message('a', 'h.example'), 0, LIMITS);
      await store.add('t', message('b', 'h.example.org'), 10, LIMITS);
      await store.settle('t', 'a', 0, taken, 5);
      expect(await store.nextDueAt('t', ['h.example.org'])).toBeUndefined();
      expect(await store.take('t', 20, 30, [])).toMatchObject({ messageId: 'b' });
    });

    test('leave nothing behind once they have ended and are forgotten', async () => {
      const link = await replicaLink();
      const store = new RedisOutboxStore(link);
      for (let place = 0; place < 450; place += 1) await store.add('t', message(`m${place}`), 0, LIMITS);
      for (let place = 0; place < 450; place += 1) await store.settle('t', `m${place}`, 0, taken, 5);
      expect(await store.nextDueAt('t', [])).toBeUndefined();
      await store.prune('t', 6);
      const kept = await link.ask((client) => client.keys(`${link.prefixOf('t')}:*`));
      expect(kept).toEqual([link.key('t', 'outbox', 'chars')]);
      expect(await link.ask((client) => client.get(link.key('t', 'outbox', 'chars')))).toBe('0');
    });
  });
});
