import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, ReachError } from '../errors.js';
import { measureBatchInvariance } from './batch-invariance.js';
import { fileChecksum } from './file-checksum.js';
import { HubRepository } from './hub-repository.js';
import { type AskPerson, type HubFiles, hubSettings } from './hub-settings.js';
import {
  DESCRIPTION_FILE,
  filesToLoad,
  formatModelDescription,
  type ModelDescription,
} from './model-description.js';
import { type ModelFolder, openModelFolder } from './model-folder.js';

const DEFAULT_HUB = 'https://huggingface.co';
const DTYPE = 'q8';
const HUB_ID = /^[\w-][\w.-]*\/([\w-][\w.-]*)$/;

export interface AddModelOptions {
  /** `owner/name` at the hub; the model's name here is the second part. */
  readonly hubId: string;
  readonly modelsFolder: string;
  /** Answers what the hub does not say. */
  readonly ask: AskPerson;
  /** Told of each file and step before it begins. */
  readonly onProgress: (sentence: string) => void;
  /** Another hub, or a mirror. */
  readonly hub?: string;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new ReachError('MODEL_INVALID', `The downloaded ${path} is not valid JSON.`, { cause });
  }
}

/** Downloads what is loaded into `folder`, and what only describes into `aside`. */
async function downloadAll(
  repository: HubRepository,
  folder: string,
  aside: string,
  { hubId, onProgress }: AddModelOptions,
): Promise<HubFiles> {
  for (const file of filesToLoad(DTYPE)) {
    onProgress(`downloading ${file}`);
    if (await repository.download(file, folder)) continue;
    throw new ReachError(
      'MODEL_INVALID',
      `${hubId} has no file ${file} at the hub; only models with an 8-bit ONNX form can be added.`,
    );
  }
  const optional = async (file: string): Promise<unknown> =>
    (await repository.download(file, aside)) ? readJson(join(aside, file)) : undefined;
  const object = (value: unknown) => Object(value) as Readonly<Record<string, unknown>>;
  return {
    config: object(await readJson(join(folder, 'config.json'))),
    tokenizerConfig: object(await readJson(join(folder, 'tokenizer_config.json'))),
    modules: await optional('modules.json'),
    pooling: object(await optional('1_Pooling/config.json')),
    prompts: object(await optional('config_sentence_transformers.json')),
    sentence: object(await optional('sentence_bert_config.json')),
  };
}

async function checksums(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const file of filesToLoad(DTYPE)) files[file] = await fileChecksum(join(folder, file));
  return files;
}

/**
 * Fetches a model from a hub and makes it one of ours: downloads it, finds out or asks how it is to be used,
 * tries whether batches change its vectors, and writes its `reach.json`. All this happens in a folder beside
 * the models, which gets its name at the end: what was only half done is never a model.
 * @throws ReachError MODEL_INVALID where the id is none, the name is taken, the hub cannot be reached or lacks
 * a file, or the model does not work.
 */
export async function addModel(options: AddModelOptions): Promise<ModelFolder> {
  const { hubId, modelsFolder, ask, onProgress, hub = DEFAULT_HUB } = options;
  const name = HUB_ID.exec(hubId)?.[1];
  if (name === undefined) {
    throw new ReachError('MODEL_INVALID', `A hub id looks like owner/name, not like ${describe(hubId)}.`);
  }
  const target = join(modelsFolder, name);
  if (await stat(target).catch(() => undefined)) {
    throw new ReachError('MODEL_INVALID', `There is already a folder ${target}.`);
  }
  await mkdir(modelsFolder, { recursive: true });
  const workshop = await mkdtemp(join(modelsFolder, '.adding-'));
  try {
    const folder = join(workshop, name);
    const files = await downloadAll(new HubRepository(hub, hubId), folder, join(workshop, 'aside'), options);
    const settings = await hubSettings(files, ask);
    const draft: ModelDescription = {
      ...settings,
      name,
      dtype: DTYPE,
      batchInvariant: false,
      files: await checksums(folder),
    };
    onProgress('trying whether batches change vectors');
    const identity = { name, hash: '', dim: settings.dim };
    const batchInvariant = await measureBatchInvariance({ path: folder, identity, description: draft });
    const source = formatModelDescription({ ...draft, batchInvariant }, hubId);
    await writeFile(join(folder, DESCRIPTION_FILE), source);
    await rename(folder, target).catch((cause: unknown) => {
      throw new ReachError('MODEL_INVALID', `${target} cannot be written.`, { cause });
    });
    return await openModelFolder(target, modelsFolder);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
