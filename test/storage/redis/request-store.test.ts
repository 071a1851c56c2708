import { expect, test } from 'vitest';
import { RedisRequestStore } from '../../../src/storage/redis/request-store.js';
import { storedRequest } from '../../requests/stored-request.js';
import { describeWithRedis, freshRedisUrl, openRedisLink } from '../../support/redis.js';
import { requestStoreContract } from '../request-store.contract.js';

describeWithRedis('in a Redis', () => {
  requestStoreContract('Redis', async () => {
    const link = await openRedisLink();
    return { store: new RedisRequestStore(link), close: () => link.close() };
  });

  test('of two replicas one creates, one saves a revision, and both have one secret', async () => {
    const url = freshRedisUrl();
    const links = await Promise.all([openRedisLink(url), openRedisLink(url)]);
    const stores = links.map((link) => new RedisRequestStore(link));
    const ids = Array.from({ length: 50 }, (_, index) => `r-${index}`);
    const atOnce = <Result>(ask: (store: RedisRequestStore, at: number, id: string) => Promise<Result>) =>
      Promise.all(ids.map((id) => Promise.all(stores.map((store, at) => ask(store, at, id)))));
    const created = await atOnce((store, at, requestId) =>
      store.create('t', storedRequest({ requestId, bodyHash: `of ${at}` })),
    );
    for (const each of created) {
      const winner = each.indexOf(undefined);
      expect(each[1 - winner]).toMatchObject({ bodyHash: `of ${winner}` });
    }
    const saved = await atOnce((store, at, requestId) =>
      store.save('t', storedRequest({ requestId, owner: `replica ${at}`, revision: 2 })),
    );
    for (const [at, each] of saved.entries()) {
      expect(each.toSorted()).toEqual([false, true]);
      expect((await stores[0]?.find('t', `r-${at}`))?.owner).toBe(`replica ${each.indexOf(true)}`);
    }
    const [secret, other] = await Promise.all(stores.map((store) => store.secret('t')));
    expect(secret).toBe(other);
    for (const link of links) await link.close();
  });
});
