import { describe, expect, test } from 'vitest';
import type { StoredTicket } from '../../../src/handoff/ticket.js';
import { RedisTicketStore } from '../../../src/storage/redis/ticket-store.js';
import { storedTicket } from '../../handoff/stored-ticket.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { ticketStoreContract } from '../ticket-store.contract.js';

const resolution = { by: 'Li', at: '2026-01-02T03:04:05.678Z', rightCapability: null, note: null };
const resolvedAt = (ticket: StoredTicket, atMs: number): StoredTicket => ({
  ...ticket,
  standing: { state: 'resolved', atMs, resolution },
  revision: ticket.revision + 1,
});

describeWithRedis('in a Redis', () => {
  ticketStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisTicketStore(link), close: () => link.close() };
  });

  describe('tickets of several replicas', () => {
    test('are one of each cause, and no more than may be unresolved', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisTicketStore(link));
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, cause) =>
          Promise.all(
            stores.map((store, place) =>
              store.create('t', storedTicket(`${cause}-${place}`, { causeKey: `k${cause}` }), 15),
            ),
          ),
        ),
      );
      const of = (end: string) => created.flat().filter((each) => each === end).length;
      expect([of('created'), of('taken'), of('full')]).toEqual([15, 30, 15]);
      expect(await stores[1]?.unresolved('t')).toBe(15);
    });

    test('are claimed and resolved by one of all who try', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisTicketStore(link));
      const ticket = storedTicket('a', { causeKey: 'k' });
      await stores[0]?.create('t', ticket, 10);
      const claim = (by: string): StoredTicket => ({
        ...ticket,
        standing: { state: 'claimed', by, untilMs: 5_000 },
        revision: 2,
      });
      const claims = await Promise.all(stores.map((store, place) => store.save('t', claim(`p${place}`))));
      expect(claims.filter((saved) => saved)).toHaveLength(1);
      const [known] = (await stores[2]?.claimsOver('t', 5_000)) ?? [];
      expect(known?.standing).toMatchObject({ by: `p${claims.indexOf(true)}` });
      const ends = await Promise.all(
        stores.map((store) => store.save('t', resolvedAt(known ?? ticket, 6_000))),
      );
      expect(ends.filter((saved) => saved)).toHaveLength(1);
      expect(await stores[0]?.claimsOver('t', 9_999)).toEqual([]);
      expect(await stores[1]?.list('t', { state: 'claimed', limit: 9 })).toEqual([]);
      expect(await stores[1]?.list('t', { state: 'resolved', limit: 9 })).toHaveLength(1);
    });

    test('that are resolved are kept as many as may be, the last ones', async () => {
      const link = await replicaLink();
      const store = new RedisTicketStore(link, 3);
      for (let at = 1; at <= 5; at += 1) {
        const ticket = storedTicket(`r${at}`, { lastAtMs: at });
        await store.create('t', ticket, 10);
        await store.save('t', resolvedAt(ticket, at));
      }
      const listed = await store.list('t', { state: undefined, limit: 10 });
      expect(listed.map(({ ticketId }) => ticketId)).toEqual(['r5', 'r4', 'r3']);
      expect(await store.find('t', 'r1')).toBeUndefined();
    });
  });
});
