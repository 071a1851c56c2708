import { MemoryCatalogueStore } from '../memory/catalogue-store.js';
import { MemoryInstanceStore } from '../memory/instance-store.js';
import { MemoryRequestStore } from '../memory/request-store.js';
import { TeamVersions } from '../memory/team-versions.js';
import { ProcessWorkQueue } from '../process-work-queue.js';
import type { Stores } from '../stores.js';
import { refuseUnfinishedImport } from '../unfinished-import.js';
import { RedisLabelStore } from './label-store.js';
import { RedisOutboxStore } from './outbox-store.js';
import { RedisRecordStore } from './record-store.js';
import { RedisClock } from './redis-clock.js';
import { importingInto } from './redis-dump.js';
import { RedisLink } from './redis-link.js';
import { parseRedisTarget } from './redis-target.js';
import { RedisSessionStore } from './session-store.js';
import { RedisTicketStore } from './ticket-store.js';
import { RedisTrendStore } from './trend-store.js';
import { RedisTuningStore } from './tuning-store.js';
import { RedisVectorStore } from './vector-store.js';

/** Opens the stores in a Redis. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function openRedisStores(url: string): Promise<Stores> {
  const link = await RedisLink.open(parseRedisTarget(url));
  const opening = importingInto(link).then((importId) => {
    refuseUnfinishedImport('this Redis', importId);
    return RedisClock.open(link);
  });
  const clock = await opening.catch(async (thrown: unknown) => {
    await link.close();
    throw thrown;
  });
  const versions = new TeamVersions();
  return {
    catalogue: new MemoryCatalogueStore(versions),
    instances: new MemoryInstanceStore(versions),
    vectors: new RedisVectorStore(link),
    records: new RedisRecordStore(link),
    trends: new RedisTrendStore(link),
    sessions: new RedisSessionStore(link),
    requests: new MemoryRequestStore(),
    work: new ProcessWorkQueue(),
    outbox: new RedisOutboxStore(link),
    tickets: new RedisTicketStore(link),
    tuning: new RedisTuningStore(link),
    labels: new RedisLabelStore(link),
    shared: undefined,
    clock,
    status: () => link.status(),
    async close() {
      await clock.close();
      await link.close();
    },
  };
}
