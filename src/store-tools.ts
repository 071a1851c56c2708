import { type ReachOptions, resolveConfig } from './config.js';
import { ReachError } from './errors.js';
import { textLines } from './evaluation/text-lines.js';
import { TEAM, VERSION } from './open-reach.js';
import { type DumpCounts, dumpLines, restoreLines } from './storage/dump-file.js';
import { openDump } from './storage/open-dump.js';
import { type FileMigration, migrateFolder, migrationsOf } from './storage/sqlite/folder-migration.js';

/** No line is longer: 16 MB of a request's payload and of its answer, and what surrounds them. */
const MAX_LINE_BYTES = 64 * 1_048_576;

/** The lines of a file that holds all that a store keeps. @throws ReachError CONFIG_INVALID, STORE_UNAVAILABLE */
export async function* exportStore(options: ReachOptions): AsyncGenerator<string> {
  const store = await openDump(resolveConfig(options), [TEAM], { isNew: false });
  try {
    yield* dumpLines(store, VERSION, Date.now());
  } finally {
    await store.close();
  }
}

/**
 * Restores such a file into an empty store.
 * @throws ReachError CONFIG_INVALID, INVALID_REQUEST, STORE_UNAVAILABLE; the file system's error
 */
export async function importStore(
  options: ReachOptions,
  file: string,
): Promise<{ readonly place: string; readonly counts: DumpCounts }> {
  const store = await openDump(resolveConfig(options), [TEAM], { isNew: true });
  try {
    return { place: store.place, counts: await restoreLines(() => linesOf(file), store) };
  } finally {
    await store.close();
  }
}

/** Brings the files of a data folder to the newest schema, or only tells what that comes to. @throws ReachError as exportStore */
export async function migrateStore(
  options: ReachOptions,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly FileMigration[]> {
  const { data } = resolveConfig(options);
  if (data === null) throw new ReachError('CONFIG_INVALID', 'Name a folder: only its files have a schema.');
  return dryRun ? migrationsOf(data) : migrateFolder(data);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  for await (const { line, ...read } of textLines(file, MAX_LINE_BYTES)) {
    if (read.kind === 'fault')
      throw new ReachError('INVALID_REQUEST', `${file} cannot be imported: line ${line} is ${read.fault}.`);
    yield read.text;
  }
}
