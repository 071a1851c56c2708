import { RedisWorkQueue } from '../../../src/storage/redis/work-queue.js';
import { describeWithRedis, openRedisLink } from '../../support/redis.js';
import { workQueueContract } from '../work-queue.contract.js';

describeWithRedis('in a Redis', () => {
  workQueueContract('Redis', async () => {
    const link = await openRedisLink();
    const store = new RedisWorkQueue(link);
    return {
      store,
      async close() {
        await store.close();
        await link.close();
      },
    };
  });
});
