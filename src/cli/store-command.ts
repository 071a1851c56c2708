import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ReachOptions } from '../config.js';
import type { Act } from './act.js';
import type { CliServices, StoreFile } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';

const PLACE = ['data', 'store'] as const;
/** Where `serve` keeps its store unless told otherwise. */
const BY_DEFAULT: ReachOptions = { data: '.reach' };

/** `store export|import|migrate`: what a service keeps, while no service uses it. */
export function addStoreCommand(program: Command, services: CliServices, act: Act): void {
  const store = program
    .command('store')
    .description('move and migrate what a service keeps, while none runs');
  addExport(store, services, act);
  addImport(store, services, act);
  addMigrate(store, services, act);
}

function addExport(store: Command, services: CliServices, act: Act): void {
  const command = store
    .command('export')
    .description('write all that is kept as lines of JSON; secrets of the store are in it')
    .argument('[file]', 'where to; not told: to standard output');
  addConfigFlags(command, PLACE);
  act(command, async (file?: string) => {
    const { exportStore } = await services.storeTools();
    const lines = exportStore(placeOf(command, services));
    if (file === undefined) {
      for await (const line of lines) services.stdout.write(`${line}\n`);
      return EXIT.done;
    }
    await writeLines(file, lines);
    services.stderr.write(
      `${printable(file)} holds all of the store, its secrets too: keep it as you keep those\n`,
    );
    return EXIT.done;
  });
}

function addImport(store: Command, services: CliServices, act: Act): void {
  const command = store
    .command('import')
    .description('restore such a file into a store that holds nothing; what was broken off goes on')
    .argument('<file>', 'what export wrote');
  addConfigFlags(command, PLACE);
  act(command, async (file: string) => {
    const { importStore } = await services.storeTools();
    const { place, counts } = await importStore(placeOf(command, services), file);
    const told = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
    services.stdout.write(
      `${printable(place)} holds all of ${printable(file)}: ${told.join(', ') || 'nothing'}\n`,
    );
    return EXIT.done;
  });
}

function addMigrate(store: Command, services: CliServices, act: Act): void {
  const command = store
    .command('migrate')
    .description('bring the files of a data folder to the newest schema, as the next start would')
    .option('--dry-run', 'only tell what would be done');
  addConfigFlags(command, ['data']);
  act(command, async () => {
    const { dryRun = false } = command.opts<{ dryRun?: true }>();
    const options = { ...BY_DEFAULT, ...settingsOf(command, ['data'], services.env) };
    const { migrateStore } = await services.storeTools();
    for (const file of await migrateStore(options, { dryRun }))
      services.stdout.write(`${printable(sentenceOf(file, dryRun))}\n`);
    return EXIT.done;
  });
}

/** A folder that the command itself names wins over a Redis that the environment names. */
function placeOf(command: Command, { env }: CliServices): ReachOptions {
  const own = command.opts<{ data?: string; store?: string }>();
  const settings = { ...BY_DEFAULT, ...settingsOf(command, PLACE, env) };
  return own.data !== undefined && own.store === undefined ? { ...settings, store: null } : settings;
}

function sentenceOf({ path, version, newestVersion, backup }: StoreFile, dryRun: boolean): string {
  if (version === 0) return `${path} is not there yet: the next start makes it with version ${newestVersion}`;
  if (backup === undefined) return `${path} has version ${version}, the newest: nothing is to be done`;
  return dryRun
    ? `${path} has version ${version}: it would be copied to ${backup} and brought to version ${newestVersion}`
    : `${path} is brought from version ${version} to ${newestVersion}; as it was it is in ${backup}`;
}

/** All of them or, where one fails, no file: what is written lies beside it until then, and only its owner may read it. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const fresh = `${path}.new`;
  try {
    const ended = async function* () {
      for await (const line of lines) yield `${line}\n`;
    };
    await pipeline(Readable.from(ended()), createWriteStream(fresh, { mode: 0o600 }));
    const file = await open(fresh, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw thrown;
  }
}
