import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VectorStore } from '../embedding/embedder.js';
import { ReachError } from '../errors.js';
import type { CatalogueStore } from '../registry/catalogue.js';
import type { InstanceStore } from '../registry/instance-store.js';
import { MemoryInstanceStore } from './memory-instance-store.js';
import { MemoryCatalogueStore, MemoryVectorStore } from './memory-stores.js';
import { SqliteCatalogueStore } from './sqlite-catalogue-store.js';
import { SqliteFile } from './sqlite-file.js';
import { SqliteInstanceStore } from './sqlite-instance-store.js';
import { SqliteVectorStore } from './sqlite-vector-store.js';
import { TeamVersions } from './team-versions.js';

const FILE_NAME = 'agent-reach.db';

/** The adapters of every store port, over one place. */
export interface Stores {
  readonly catalogue: CatalogueStore;
  readonly instances: InstanceStore;
  readonly vectors: VectorStore;
  /** `failed` while the last access failed; `detail` is a sentence for a person. */
  status(): { readonly state: 'ok' | 'failed'; readonly detail: string };
  /** Later calls of a store are refused with CLOSED where it was a file. */
  close(): Promise<void>;
}

/**
 * Opens the stores in a folder, which is made where it is missing; null: in memory, gone with the process.
 * @throws ReachError STORE_UNAVAILABLE where the folder cannot be written, or its file is in use by another
 * process, damaged, or of a newer version.
 */
export async function openStores(dataFolder: string | null): Promise<Stores> {
  if (dataFolder === null) {
    const versions = new TeamVersions();
    return {
      catalogue: new MemoryCatalogueStore(versions),
      instances: new MemoryInstanceStore(versions),
      vectors: new MemoryVectorStore(),
      status: () => ({ state: 'ok', detail: 'Kept in memory, gone with the process.' }),
      close: async () => {},
    };
  }
  makeFolder(dataFolder);
  const file = SqliteFile.open(join(dataFolder, FILE_NAME));
  return {
    catalogue: new SqliteCatalogueStore(file),
    instances: new SqliteInstanceStore(file),
    vectors: new SqliteVectorStore(file),
    status: () =>
      file.fault === undefined
        ? { state: 'ok', detail: `Kept in ${file.path}.` }
        : { state: 'failed', detail: file.fault },
    close: async () => file.close(),
  };
}

/** Not by `recursive`: where a file system refuses a folder as missing (/proc), Node would try for ever. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReachError('STORE_UNAVAILABLE', `The data folder ${folder} cannot be made: ${why}.`, { cause });
  }
}
