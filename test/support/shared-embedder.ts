import { fileURLToPath } from 'node:url';
import type { Embedder } from '../../src/embedding/embedder.js';
import { ModelClient } from '../../src/embedding/model-client.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';

/** The folder of the models that come with the package. */
export const MODELS_FOLDER = fileURLToPath(new URL('../../models/', import.meta.url));

let shared: Promise<Embedder> | undefined;

async function start(): Promise<Embedder> {
  const client = new ModelClient(await openModelFolder('multilingual-e5-small', MODELS_FOLDER));
  await client.ready;
  return client;
}

/**
 * The default model, started once in each worker, since its start takes seconds and its process hundreds of
 * megabytes. Nobody closes it: its process ends with that of the tests.
 */
export function sharedEmbedder(): Promise<Embedder> {
  shared ??= start();
  return shared;
}
