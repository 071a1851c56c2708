import { MemoryRecordStore } from '../memory/record-store.js';
import { MemoryTrendStore } from '../memory/trend-store.js';
import { MemoryVectorStore } from '../memory/vector-store.js';
import type { StoreOwner, Stores } from '../stores.js';
import { RedisCatalogueStore } from './catalogue-store.js';
import { RedisChangeFeed } from './change-feed.js';
import { RedisInstanceStore } from './instance-store.js';
import { RedisLabelStore } from './label-store.js';
import { RedisLeaseStore } from './lease-store.js';
import { RedisMessageBus } from './message-bus.js';
import { RedisOutboxStore } from './outbox-store.js';
import { RedisClock } from './redis-clock.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget } from './redis-target.js';
import { RedisReplicaStore } from './replica-store.js';
import { RedisRequestStore } from './request-store.js';
import { RedisSessionStore } from './session-store.js';
import { RedisTicketStore } from './ticket-store.js';
import { RedisTuningStore } from './tuning-store.js';
import { RedisWorkQueue } from './work-queue.js';

/** Opens the stores in a Redis. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function openRedisStores(url: string, { replicaId, report }: StoreOwner): Promise<Stores> {
  const link = await RedisLink.open(parseRedisTarget(url));
  const clock = await RedisClock.open(link).catch(async (thrown: unknown) => {
    await link.close();
    throw thrown;
  });
  const bus = new RedisMessageBus(link, replicaId, report);
  return {
    catalogue: new RedisCatalogueStore(link),
    instances: new RedisInstanceStore(link),
    vectors: new MemoryVectorStore(),
    records: new MemoryRecordStore(),
    trends: new MemoryTrendStore(),
    sessions: new RedisSessionStore(link),
    requests: new RedisRequestStore(link),
    work: new RedisWorkQueue(link, report),
    outbox: new RedisOutboxStore(link),
    tickets: new RedisTicketStore(link),
    tuning: new RedisTuningStore(link),
    labels: new RedisLabelStore(link),
    shared: {
      feed: new RedisChangeFeed(link),
      leases: new RedisLeaseStore(link),
      replicas: new RedisReplicaStore(link),
      bus,
    },
    clock,
    status: () => link.status(),
    async close() {
      await bus.close();
      await clock.close();
      await link.close();
    },
  };
}
