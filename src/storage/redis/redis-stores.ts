import type { ChangeFeed } from '../../registry/change-feed.js';
import { MemoryCatalogueStore } from '../memory/catalogue-store.js';
import { MemoryInstanceStore } from '../memory/instance-store.js';
import { MemoryLabelStore } from '../memory/label-store.js';
import { MemoryOutboxStore } from '../memory/outbox-store.js';
import { MemoryRecordStore } from '../memory/record-store.js';
import { MemorySessionStore } from '../memory/session-store.js';
import { TeamVersions } from '../memory/team-versions.js';
import { MemoryTicketStore } from '../memory/ticket-store.js';
import { MemoryTrendStore } from '../memory/trend-store.js';
import { MemoryTuningStore } from '../memory/tuning-store.js';
import { MemoryVectorStore } from '../memory/vector-store.js';
import type { StoreOwner, Stores } from '../stores.js';
import { RedisMessageBus } from './message-bus.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget } from './redis-target.js';
import { RedisReplicaStore } from './replica-store.js';
import { RedisRequestStore } from './request-store.js';
import { RedisWorkQueue } from './work-queue.js';

/** Of a catalogue that is not in Redis. */
const NO_CHANGES: ChangeFeed = {
  position: async () => ({ life: '', seq: 0 }),
  after: async () => [],
  follow: () => () => {},
};

/** Opens the stores in a Redis. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function openRedisStores(url: string, { replicaId, report }: StoreOwner): Promise<Stores> {
  const link = await RedisLink.open(parseRedisTarget(url));
  const bus = new RedisMessageBus(link, replicaId, report);
  const versions = new TeamVersions();
  return {
    catalogue: new MemoryCatalogueStore(versions),
    instances: new MemoryInstanceStore(versions),
    vectors: new MemoryVectorStore(),
    records: new MemoryRecordStore(),
    trends: new MemoryTrendStore(),
    sessions: new MemorySessionStore(),
    requests: new RedisRequestStore(link),
    work: new RedisWorkQueue(link, report),
    outbox: new MemoryOutboxStore(),
    tickets: new MemoryTicketStore(),
    tuning: new MemoryTuningStore(),
    labels: new MemoryLabelStore(),
    shared: { feed: NO_CHANGES, replicas: new RedisReplicaStore(link), bus },
    status: () => link.status(),
    async close() {
      await bus.close();
      await link.close();
    },
  };
}
