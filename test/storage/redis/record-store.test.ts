import { describe, expect, test } from 'vitest';
import { RedisRecordStore } from '../../../src/storage/redis/record-store.js';
import { EVERY_RECORD, record, shadowOf } from '../../record/records.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { recordStoreContract } from '../record-store.contract.js';

const recordsBetween = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => record(from + place));

describeWithRedis('in a Redis', () => {
  recordStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisRecordStore(link), close: () => link.close() };
  });

  describe('decisions of several replicas', () => {
    test('have one salt, also where all ask for it at once', async () => {
      const links = await replicaLinks(5);
      const salts = await Promise.all(links.map((link) => new RedisRecordStore(link).salt('t')));
      expect(new Set(salts).size).toBe(1);
    });

    test('are kept once, whoever appends them, and take one outcome and one shadow', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisRecordStore(link));
      const rows = recordsBetween(0, 450);
      await Promise.all(stores.map((store) => store.append('t', rows)));
      const [row = record(0)] = rows;
      const other = shadowOf(row, { capabilityId: 'other' });
      const shadows = await Promise.all(stores.map((store) => store.keepShadow('t', row.routeId, other)));
      expect(shadows.filter(Boolean)).toHaveLength(1);
      const outcomes = await Promise.all(
        stores.map((store, place) =>
          store.report('t', row.routeId, { status: 'completed', latencyMs: place, rightCapability: null }),
        ),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const place = outcomes.indexOf(true);
      const [store = new RedisRecordStore(await replicaLink())] = stores;
      const kept = {
        ...row,
        shadow: other,
        reported: { status: 'completed', latencyMs: place, rightCapability: null },
      };
      expect(await store.page('t', EVERY_RECORD)).toEqual([kept, ...rows.slice(1)]);
      expect(await store.shadowTallies('t', 0)).toMatchObject([{ compared: 1, differing: 1 }]);
    });

    test('stay within their bound, of which the oldest go with all that belongs to them', async () => {
      const link = await replicaLink();
      const store = new RedisRecordStore(link, 300);
      const rows = recordsBetween(0, 1_000).map((row) => ({
        ...row,
        shadow: shadowOf(row, { capabilityId: 'other' }),
      }));
      for (let start = 0; start < rows.length; start += 100)
        await store.append('t', rows.slice(start, start + 100));
      expect(await store.page('t', EVERY_RECORD)).toEqual(rows.slice(700));
      const agentName = rows[0]?.targetAgent ?? '';
      expect(await store.page('t', { ...EVERY_RECORD, agentName })).toEqual(rows.slice(700));
      const sizes = await link.ask((client) =>
        Promise.all([
          ...['rows', 'shadows'].map((part) => client.hlen(link.key('t', 'records', part))),
          ...['by-time', 'by-agent', 'differing'].map((part) => client.zcard(link.key('t', 'records', part))),
        ]),
      );
      expect(sizes).toEqual([300, 300, 300, 300, 300]);
    });
  });
});
