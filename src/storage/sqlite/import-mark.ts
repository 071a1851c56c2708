import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const markOf = (folder: string) => join(folder, 'importing');

/** Which import has begun in a folder and not ended. */
export function importingInto(folder: string): string | undefined {
  try {
    return readFileSync(markOf(folder), 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** On the disk before the first row is. */
export function markImport(folder: string, importId: string): void {
  const file = openSync(markOf(folder), 'w');
  try {
    writeSync(file, importId);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function endImport(folder: string): void {
  rmSync(markOf(folder), { force: true });
}
