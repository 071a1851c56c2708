import { describe, expect, test } from 'vitest';
import { RedisVectorStore } from '../../../src/storage/redis/vector-store.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { until } from '../../support/until.js';
import { vectorStoreContract } from '../vector-store.contract.js';

const TEXTS = Array.from({ length: 600 }, (_, place) => `text-${place}`);

async function twoStores() {
  const [one, other] = (await replicaLinks(2)).map((link) => new RedisVectorStore(link));
  if (one === undefined || other === undefined) throw new Error('two links are needed');
  return [one, other] as const;
}

describeWithRedis('in a Redis', () => {
  vectorStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisVectorStore(link), close: () => link.close() };
  });

  test('a vector that is read is kept for another 90 days', async () => {
    const link = await replicaLink();
    const store = new RedisVectorStore(link);
    await store.putMany('m', new Map([['t', new Float32Array([1])]]));
    const key = link.key('vectors', 'm', 't');
    await link.ask((client) => client.expire(key, 100));
    await store.getMany('m', ['t', 'other']);
    expect(await link.ask((client) => client.ttl(key))).toBeGreaterThan(89 * 86_400);
    expect(await link.ask((client) => client.exists(link.key('vectors', 'm', 'other')))).toBe(0);
  });

  describe('texts that several replicas are to embed', () => {
    test('are claimed by one each', async () => {
      const [one, other] = await twoStores();
      const [ours, theirs] = await Promise.all([
        one.claims.claim('m', TEXTS, 10_000),
        other.claims.claim('m', TEXTS, 10_000),
      ]);
      expect(ours.size + theirs.size).toBe(TEXTS.length);
      expect(new Set([...ours, ...theirs])).toEqual(new Set(TEXTS));
      // Who claims again has it longer.
      expect(await one.claims.claim('m', TEXTS, 10_000)).toEqual(ours);
    });

    test('are free again when their claim lapses or is given up, and only by who has it', async () => {
      const [one, other] = await twoStores();
      await one.claims.claim('m', ['given-up'], 60_000);
      await other.claims.release('m', ['given-up']);
      expect((await other.claims.claim('m', ['given-up'], 10)).size).toBe(0);
      await one.claims.release('m', ['given-up']);
      expect((await other.claims.claim('m', ['given-up'], 10_000)).size).toBe(1);
      await one.claims.claim('m', ['lapsed'], 50);
      await until(async () => (await other.claims.claim('m', ['lapsed'], 10_000)).size === 1, 5_000);
    });
  });
});
