import type { StoreOwner, Stores } from '../stores.js';
import { refuseUnfinishedImport } from '../unfinished-import.js';
import { RedisCatalogueStore } from './catalogue-store.js';
import { RedisChangeFeed } from './change-feed.js';
import { RedisInstanceStore } from './instance-store.js';
import { RedisLabelStore } from './label-store.js';
import { RedisLeaseStore } from './lease-store.js';
import { RedisMessageBus } from './message-bus.js';
import { RedisOutboxStore } from './outbox-store.js';
import { RedisRecordStore } from './record-store.js';
import { RedisClock } from './redis-clock.js';
import { importingInto } from './redis-dump.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget } from './redis-target.js';
import { RedisReplicaStore } from './replica-store.js';
import { RedisRequestStore } from './request-store.js';
import { RedisSessionStore } from './session-store.js';
import { RedisTicketStore } from './ticket-store.js';
import { RedisTrendStore } from './trend-store.js';
import { RedisTuningStore } from './tuning-store.js';
import { RedisVectorStore } from './vector-store.js';
import { RedisWorkQueue } from './work-queue.js';

/** Opens the stores in a Redis. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function openRedisStores(url: string, { replicaId, report }: StoreOwner): Promise<Stores> {
  const link = await RedisLink.open(parseRedisTarget(url));
  const opening = importingInto(link).then((importId) => {
    refuseUnfinishedImport('this Redis', importId);
    return RedisClock.open(link);
  });
  const clock = await opening.catch(async (thrown: unknown) => {
    await link.close();
    throw thrown;
  });
  const bus = new RedisMessageBus(link, replicaId, report);
  return {
    catalogue: new RedisCatalogueStore(link),
    instances: new RedisInstanceStore(link),
    vectors: new RedisVectorStore(link),
    records: new RedisRecordStore(link),
    trends: new RedisTrendStore(link),
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
