import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from '../../src/storage/stores.js';
import { catalogueStoreContract } from './catalogue-store.contract.js';
import { vectorStoreContract } from './vector-store.contract.js';

async function inMemory() {
  const stores = await openStores(null);
  return { stores, close: () => stores.close() };
}

async function inFile() {
  const folder = await mkdtemp(join(tmpdir(), 'reach-store-'));
  const stores = await openStores(folder);
  const close = async () => {
    await stores.close();
    await rm(folder, { recursive: true });
  };
  return { stores, close };
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
