import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ReachError } from '../errors.js';
import { pointerStep } from '../wire/json-pointer.js';
import type { ModelIdentity } from './embedder.js';
import { fileChecksum } from './file-checksum.js';
import { DESCRIPTION_FILE, type ModelDescription, parseModelDescription } from './model-description.js';

/** A folder whose every listed file was found to be what its `reach.json` says. */
export interface ModelFolder {
  /** Absolute. */
  readonly path: string;
  readonly identity: ModelIdentity;
  readonly description: ModelDescription;
}

/** A bare word may be the name of a shipped model; anything with a separator is a path. */
const NAME = /^[\w-][\w.-]*$/;

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function findFolder(nameOrPath: string, modelsFolder: string): Promise<string> {
  const places = [
    ...(NAME.test(nameOrPath) ? [join(resolve(modelsFolder), nameOrPath)] : []),
    resolve(nameOrPath),
  ];
  for (const place of places) {
    if (await isFolder(place)) return place;
  }
  const looked = places.join(' nor ');
  throw new ReachError(
    'MODEL_INVALID',
    `There is no model ${JSON.stringify(nameOrPath)}: there is no folder ${looked}.`,
  );
}

async function checkFile(folder: string, file: string, expected: string): Promise<void> {
  const path = join(folder, file);
  const received = await fileChecksum(path).catch((cause: NodeJS.ErrnoException) => {
    const fault = cause.code === 'ENOENT' ? 'is missing' : `cannot be read (${cause.message})`;
    throw new ReachError('MODEL_INVALID', `The model file ${path} ${fault}.`, { cause });
  });
  if (received === expected) return;
  throw new ReachError(
    'MODEL_INVALID',
    `The model file ${path} is not the one that ${DESCRIPTION_FILE} lists: its SHA-256 is another.`,
    { errors: [{ pointer: `/files${pointerStep(file)}`, expected, received }] },
  );
}

/**
 * Finds a model's folder, by a name under `modelsFolder` or a path, and checks all of it.
 * @throws ReachError MODEL_INVALID, with one sentence: no such folder, no `reach.json`, one of another format
 * or with faults, a listed file that is missing or is another than listed.
 */
export async function openModelFolder(nameOrPath: string, modelsFolder: string): Promise<ModelFolder> {
  const path = await findFolder(nameOrPath, modelsFolder);
  const descriptionPath = join(path, DESCRIPTION_FILE);
  const source = await readFile(descriptionPath).catch((cause: unknown) => {
    throw new ReachError('MODEL_INVALID', `The folder ${path} is no model: it has no ${DESCRIPTION_FILE}.`, {
      cause,
    });
  });
  const description = parseModelDescription(source.toString('utf8'), descriptionPath);
  for (const [file, checksum] of Object.entries(description.files)) await checkFile(path, file, checksum);
  const hash = createHash('sha256').update(source).digest('hex');
  return { path, identity: { name: description.name, hash, dim: description.dim }, description };
}
