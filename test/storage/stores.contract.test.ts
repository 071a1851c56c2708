import { join } from 'node:path';
import { KEPT_IN_MEMORY } from '../../src/storage/memory/catalogue-store.js';
import { MemoryLabelStore } from '../../src/storage/memory/label-store.js';
import { MemorySessionStore } from '../../src/storage/memory/session-store.js';
import { VERSIONS_IN_MEMORY } from '../../src/storage/memory/tuning-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import { KEPT_IN_FILE } from '../../src/storage/sqlite/catalogue-store.js';
import { LABEL_MIGRATIONS } from '../../src/storage/sqlite/label-schema.js';
import { SqliteLabelStore } from '../../src/storage/sqlite/label-store.js';
import { SqliteSessionStore } from '../../src/storage/sqlite/session-store.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { VERSIONS_IN_FILE } from '../../src/storage/sqlite/tuning-store.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { catalogueStoreContract } from './catalogue-store.contract.js';
import { instanceStoreContract } from './instance-store.contract.js';
import { labelStoreContract } from './label-store.contract.js';
import { outboxStoreContract } from './outbox-store.contract.js';
import { recordStoreContract } from './record-store.contract.js';
import { requestStoreContract } from './request-store.contract.js';
import { sessionStoreContract } from './session-store.contract.js';
import { ticketStoreContract } from './ticket-store.contract.js';
import { trendStoreContract } from './trend-store.contract.js';
import { tuningStoreContract } from './tuning-store.contract.js';
import { vectorStoreContract } from './vector-store.contract.js';
import { workQueueContract } from './work-queue.contract.js';

async function inMemory() {
  const stores = await openStores({ store: null, data: null });
  return { stores, close: () => stores.close() };
}

async function inFile() {
  const stores = await openStores({ store: null, data: await temporaryFolder() });
  return { stores, close: () => stores.close() };
}

for (const [name, kept, versions, open] of [
  ['memory', KEPT_IN_MEMORY, VERSIONS_IN_MEMORY, inMemory],
  ['SQLite', KEPT_IN_FILE, VERSIONS_IN_FILE, inFile],
] as const) {
  catalogueStoreContract(name, kept, async () => {
    const { stores, close } = await open();
    return { store: stores.catalogue, close };
  });
  instanceStoreContract(name, open);
  vectorStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.vectors, close };
  });
  recordStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.records, close };
  });
  trendStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.trends, close };
  });
  requestStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.requests, close };
  });
  workQueueContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.work, close };
  });
  outboxStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.outbox, close };
  });
  ticketStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.tickets, close };
  });
  tuningStoreContract(name, versions, async () => {
    const { stores, close } = await open();
    return { store: stores.tuning, close };
  });
}

sessionStoreContract('memory', async (most) => ({
  store: new MemorySessionStore(most),
  close: async () => {},
}));
sessionStoreContract('SQLite', async (most) => {
  const file = SqliteFile.open(join(await temporaryFolder(), 'store.db'));
  return { store: new SqliteSessionStore(file, most), close: async () => file.close() };
});

labelStoreContract('memory', async (most) => ({
  store: new MemoryLabelStore(most),
  close: async () => {},
}));
labelStoreContract('SQLite', async (most) => {
  const file = SqliteFile.open(join(await temporaryFolder(), 'labels.db'), LABEL_MIGRATIONS);
  return { store: new SqliteLabelStore(file, most), close: async () => file.close() };
});
