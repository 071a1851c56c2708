import { join } from 'node:path';
import { systemClock } from '../clock.js';
import { newReplicaId } from '../cluster/replica-id.js';
import type { ReachConfig } from '../config.js';
import { makeDataFolder } from './data-folder.js';
import { MemoryCatalogueStore } from './memory/catalogue-store.js';
import { MemoryInstanceStore } from './memory/instance-store.js';
import { MemoryLabelStore } from './memory/label-store.js';
import { MemoryOutboxStore } from './memory/outbox-store.js';
import { MemoryRecordStore } from './memory/record-store.js';
import { MemoryRequestStore } from './memory/request-store.js';
import { MemorySessionStore } from './memory/session-store.js';
import { TeamVersions } from './memory/team-versions.js';
import { MemoryTicketStore } from './memory/ticket-store.js';
import { MemoryTrendStore } from './memory/trend-store.js';
import { MemoryTuningStore } from './memory/tuning-store.js';
import { MemoryVectorStore } from './memory/vector-store.js';
import { ProcessWorkQueue } from './process-work-queue.js';
import { SqliteCatalogueStore } from './sqlite/catalogue-store.js';
import { DATA_FILES, type DataFile } from './sqlite/data-files.js';
import { importingInto } from './sqlite/import-mark.js';
import { SqliteInstanceStore } from './sqlite/instance-store.js';
import { SqliteOutboxStore } from './sqlite/outbox-store.js';
import { SqliteSessionStore } from './sqlite/session-store.js';
import { SqliteFile } from './sqlite/sqlite-file.js';
import { StoreThread } from './sqlite/store-thread.js';
import type { StoreThreadData } from './sqlite/thread-messages.js';
import { labelPortsOf, recordPortsOf, requestPortsOf } from './sqlite/thread-ports.js';
import { SqliteTicketStore } from './sqlite/ticket-store.js';
import { SqliteTuningStore } from './sqlite/tuning-store.js';
import { SqliteVectorStore } from './sqlite/vector-store.js';
import type { StoreOwner, Stores } from './stores.js';
import { refuseUnfinishedImport } from './unfinished-import.js';

/**
 * Opens the stores in a Redis, else in a folder, which is made where it is missing; null: in memory, gone with the process.
 * @throws ReachError STORE_UNAVAILABLE where the folder cannot be written, or its file is in use by another
 * process, damaged, or of a newer version.
 */
export async function openStores(
  { store, data: dataFolder }: Pick<ReachConfig, 'store' | 'data'>,
  owner: StoreOwner = { replicaId: newReplicaId(), report: () => {} },
): Promise<Stores> {
  if (store !== null) {
    // Who keeps everything in files need not load what speaks to a Redis.
    const { openRedisStores } = await import('./redis/redis-stores.js');
    return openRedisStores(store, owner);
  }
  if (dataFolder === null) {
    const versions = new TeamVersions();
    return {
      catalogue: new MemoryCatalogueStore(versions),
      instances: new MemoryInstanceStore(versions),
      vectors: new MemoryVectorStore(),
      records: new MemoryRecordStore(),
      trends: new MemoryTrendStore(),
      sessions: new MemorySessionStore(),
      requests: new MemoryRequestStore(),
      work: new ProcessWorkQueue(),
      outbox: new MemoryOutboxStore(),
      tickets: new MemoryTicketStore(),
      tuning: new MemoryTuningStore(),
      labels: new MemoryLabelStore(),
      shared: undefined,
      clock: systemClock,
      status: () => ({ state: 'ok', detail: 'Kept in memory, gone with the process.' }),
      close: async () => {},
    };
  }
  makeDataFolder(dataFolder);
  refuseUnfinishedImport(dataFolder, importingInto(dataFolder));
  const pathOf = (file: DataFile) => join(dataFolder, DATA_FILES[file].fileName);
  const file = SqliteFile.open(pathOf('store'));
  const opened: { close(): Promise<void> | void }[] = [file];
  try {
    const openThread = async (files: StoreThreadData) => {
      const thread = await StoreThread.open(files);
      opened.push(thread);
      return thread;
    };
    const [recordThread, requestThread] = await allOrThrow([
      openThread({ records: pathOf('records') }),
      openThread({ requests: pathOf('requests'), labels: pathOf('labels') }),
    ]);
    const requestPorts = requestPortsOf(requestThread);
    return {
      catalogue: new SqliteCatalogueStore(file),
      instances: new SqliteInstanceStore(file),
      vectors: new SqliteVectorStore(file),
      sessions: new SqliteSessionStore(file),
      outbox: new SqliteOutboxStore(file),
      tickets: new SqliteTicketStore(file),
      tuning: new SqliteTuningStore(file),
      ...recordPortsOf(recordThread),
      ...labelPortsOf(requestThread),
      requests: requestPorts.requests,
      work: new ProcessWorkQueue(requestPorts.work),
      shared: undefined,
      clock: systemClock,
      status() {
        // What only grows and may be lost has its own line in the report.
        const fault = file.fault ?? requestThread.fault;
        return fault === undefined
          ? { state: 'ok', detail: `Kept in ${dataFolder}.` }
          : { state: 'failed', detail: fault };
      },
      close: () => closeAll(opened),
    };
  } catch (thrown) {
    await closeAll(opened);
    throw thrown;
  }
}

/** Each result, once all have ended: what is still on its way when another fails would stay open. @throws the first error */
async function allOrThrow<Results extends readonly unknown[]>(
  started: {
    readonly [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(started);
  return Promise.all(started) as Promise<unknown> as Promise<Results>;
}

/** The last first. Also those behind one that fails to; then its error is thrown. */
async function closeAll(opened: readonly { close(): Promise<void> | void }[]): Promise<void> {
  const last = opened.at(-1);
  if (last === undefined) return;
  try {
    await last.close();
  } finally {
    await closeAll(opened.slice(0, -1));
  }
}
