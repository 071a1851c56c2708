import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ReachError } from '../errors.js';

/** Not by `recursive`: where a file system refuses a folder as missing (/proc), Node would try for ever. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
}

/** Makes a data folder where it is missing. @throws ReachError STORE_UNAVAILABLE */
export function makeDataFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReachError('STORE_UNAVAILABLE', `The data folder ${folder} cannot be made: ${why}.`, { cause });
  }
}
