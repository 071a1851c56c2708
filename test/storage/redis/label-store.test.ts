import { describe, expect, test } from 'vitest';
import type { StoredLabel } from '../../../src/labels/stored-label.js';
import { inPages } from '../../../src/pages.js';
import { RedisLabelStore } from '../../../src/storage/redis/label-store.js';
import { label } from '../../labels/labels.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { labelStoreContract } from '../label-store.contract.js';

const labels = (from: number, to: number, source: 'added' | 'outcome' = 'added') =>
  Array.from({ length: to - from }, (_, place) => label(from + place, { source }));

async function idsOf(store: RedisLabelStore): Promise<string[]> {
  const ids: string[] = [];
  const all = { source: undefined, fromMs: 0 };
  for await (const { labelId } of inPages<StoredLabel>((after, limit) =>
    store.page('t', { ...all, after, limit }),
  ))
    ids.push(labelId);
  return ids;
}

describeWithRedis('in a Redis', () => {
  labelStoreContract('Redis', async (most) => {
    const link = await openRedisLink();
    return { store: new RedisLabelStore(link, most), close: () => link.close() };
  });

  describe('labels of several replicas', () => {
    test('are added all of a batch or none, and no more than there is room for', async () => {
      const stores = (await replicaLinks(2)).map((link) => new RedisLabelStore(link, 1_000));
      const batches = Array.from({ length: 12 }, (_, batch) => labels(batch * 150, (batch + 1) * 150));
      const added = await Promise.all(batches.map((batch, place) => stores[place % 2]?.add('t', batch)));
      expect(added.filter((each) => each === 150)).toHaveLength(6);
      expect(added.filter((each) => each === 'full')).toHaveLength(6);
      const kept = new Set(await idsOf(stores[0] as RedisLabelStore));
      const counts = batches.map((batch) => batch.filter(({ labelId }) => kept.has(labelId)).length);
      expect(counts).toEqual(added.map((each) => (each === 150 ? 150 : 0)));
    });

    test('are counted as new by one of those who say the same', async () => {
      const stores = (await replicaLinks(3)).map((link) => new RedisLabelStore(link));
      const added = await Promise.all(stores.map((store) => store.add('t', labels(0, 1_000))));
      expect(added.map(Number).sort((one, other) => one - other)).toEqual([0, 0, 1_000]);
    });

    test('make room for a large batch, the oldest that nobody wrote first', async () => {
      const link = await replicaLink();
      const store = new RedisLabelStore(link, 2_500);
      await store.add('t', labels(0, 1_000, 'outcome'));
      await store.add('t', labels(1_000, 2_000, 'outcome'));
      expect(await store.add('t', labels(2_000, 3_000))).toBe(1_000);
      const kept = await idsOf(store);
      expect(kept).toHaveLength(2_500);
      expect(kept[0]).toBe(label(500, { source: 'outcome' }).labelId);
    });
  });
});
