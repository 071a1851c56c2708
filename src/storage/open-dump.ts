import type { ReachConfig } from '../config.js';
import { ReachError } from '../errors.js';
import { RedisDump } from './redis/redis-dump.js';
import { SqliteDump } from './sqlite/sqlite-dump.js';
import type { StoreDump } from './store-dump.js';

/**
 * Opens a Redis, else a data folder, to move it as a whole. `isNew`: the folder is made where it is missing.
 * @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE
 */
export async function openDump(
  { store, data }: Pick<ReachConfig, 'store' | 'data'>,
  teams: readonly string[],
  choice: { readonly isNew: boolean },
): Promise<StoreDump> {
  if (store !== null) return RedisDump.open(store, teams);
  if (data !== null) return SqliteDump.open(data, choice);
  throw new ReachError('CONFIG_INVALID', 'What is kept in memory cannot be moved: name a folder or a Redis.');
}
