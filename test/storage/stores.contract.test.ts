import { openStores } from '../../src/storage/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { catalogueStoreContract } from './catalogue-store.contract.js';
import { vectorStoreContract } from './vector-store.contract.js';

async function inMemory() {
  const stores = await openStores(null);
  return { stores, close: () => stores.close() };
}

async function inFile() {
  const stores = await openStores(await temporaryFolder());
  return { stores, close: () => stores.close() };
}

for (const [name, open] of [
  ['memory', inMemory],
  ['SQLite', inFile],
] as const) {
  catalogueStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.catalogue, close };
  });
  vectorStoreContract(name, async () => {
    const { stores, close } = await open();
    return { store: stores.vectors, close };
  });
}
