import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReachError } from '../../errors.js';

/** Copies of a file that are kept. */
const KEPT = 2;

/** The copy of a file as it was before its schema left this version. */
export function backupFile(path: string, version: number): string {
  return `${path}.v${version}.backup`;
}

/**
 * Copies a file beside it before its schema changes. Copies of older versions go, but for the newest.
 * @throws ReachError STORE_UNAVAILABLE where there is no room for it; then nothing is changed
 */
export function backUp(db: DatabaseSyncInstance, path: string, version: number): void {
  const backup = backupFile(path, version);
  const fresh = `${backup}.new`;
  try {
    // What was cut off in the middle of a copy is made anew.
    rmSync(fresh, { force: true });
    db.prepare('VACUUM INTO ?').run(fresh);
    sync(fresh);
    renameSync(fresh, backup);
  } catch (cause) {
    rmSync(fresh, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    const detail = `${path} cannot be copied before its schema changes (${why}): make room beside it; nothing was changed.`;
    throw new ReachError('STORE_UNAVAILABLE', detail, { cause });
  }
  letGoOfOlder(path);
}

function letGoOfOlder(path: string): void {
  const start = `${basename(path)}.v`;
  const versionOf = (name: string) =>
    name.startsWith(start) ? Number(/^(\d+)\.backup$/.exec(name.slice(start.length))?.[1]) : Number.NaN;
  const versions = readdirSync(dirname(path))
    .map(versionOf)
    .filter((version) => !Number.isNaN(version))
    .sort((one, other) => other - one);
  for (const version of versions.slice(KEPT))
    rmSync(join(dirname(path), basename(backupFile(path, version))));
}

/** Its bytes are on the disk before it is taken for a copy. */
function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
