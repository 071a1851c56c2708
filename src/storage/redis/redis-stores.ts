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
import type { Stores } from '../stores.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget } from './redis-target.js';
import { RedisRequestStore } from './request-store.js';
import { RedisWorkQueue } from './work-queue.js';

/** Opens the stores in a Redis. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function openRedisStores(url: string): Promise<Stores> {
  const link = await RedisLink.open(parseRedisTarget(url));
  const versions = new TeamVersions();
  return {
    catalogue: new MemoryCatalogueStore(versions),
    instances: new MemoryInstanceStore(versions),
    vectors: new MemoryVectorStore(),
    records: new MemoryRecordStore(),
    trends: new MemoryTrendStore(),
    sessions: new MemorySessionStore(),
    requests: new RedisRequestStore(link),
    work: new RedisWorkQueue(link),
    outbox: new MemoryOutboxStore(),
    tickets: new MemoryTicketStore(),
    tuning: new MemoryTuningStore(),
    labels: new MemoryLabelStore(),
    shared: undefined,
    status: () => link.status(),
    close: () => link.close(),
  };
}
