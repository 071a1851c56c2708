import { join } from 'node:path';
import { DATA_FILES } from './data-files.js';
import { backupFile } from './migration-backup.js';
import { SqliteFile } from './sqlite-file.js';

/** What bringing a file of a data folder to the newest schema comes to. */
export interface FileMigration {
  readonly path: string;
  /** Of its schema; 0 where there is no file yet. */
  readonly version: number;
  readonly newestVersion: number;
  /** The copy that is made before; undefined where there is nothing to do. */
  readonly backup: string | undefined;
}

/**
 * What is to be done in each file of a folder. Changes nothing.
 * @throws ReachError STORE_UNAVAILABLE where a file is in use, damaged, of another program or of a newer version
 */
export function migrationsOf(folder: string): readonly FileMigration[] {
  return Object.values(DATA_FILES).map(({ fileName, migrations }) => {
    const path = join(folder, fileName);
    const version = SqliteFile.versionOf(path, migrations);
    const newestVersion = migrations.length;
    const isOld = version > 0 && version < newestVersion;
    return { path, version, newestVersion, backup: isOld ? backupFile(path, version) : undefined };
  });
}

/** Does it, as the next start would: what was to be done. @throws ReachError as migrationsOf */
export function migrateFolder(folder: string): readonly FileMigration[] {
  const todo = migrationsOf(folder);
  for (const [place, { migrations }] of Object.values(DATA_FILES).entries()) {
    const { path, backup } = todo[place] ?? {};
    if (path !== undefined && backup !== undefined) SqliteFile.open(path, migrations).close();
  }
  return todo;
}
