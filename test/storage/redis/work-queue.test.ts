import { expect } from 'vitest';
import { RedisWorkQueue } from '../../../src/storage/redis/work-queue.js';
import { describeWithRedis, openRedisLink } from '../../support/redis.js';
import { workQueueContract } from '../work-queue.contract.js';

describeWithRedis('in a Redis', () => {
  workQueueContract('Redis', async () => {
    const link = await openRedisLink();
    const reports: string[] = [];
    const store = new RedisWorkQueue(link, (message) => reports.push(message));
    return {
      store,
      async close() {
        await store.close();
        await link.close();
        expect(reports).toEqual([]);
      },
    };
  });
});
