import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ReachConfig } from './config.js';
import { CachedEmbedder } from './embedding/cached-embedder.js';
import { type Background, CentredEmbedder } from './embedding/centred-embedder.js';
import type { VectorStore } from './embedding/embedder.js';
import type { BySpace } from './embedding/embedding-space.js';
import { ModelClient } from './embedding/model-client.js';
import { type ModelFolder, openModelFolder } from './embedding/model-folder.js';
import { ReachError } from './errors.js';
import type { Lifecycle } from './lifecycle.js';
import type { IndexedSpace } from './retrieval/catalogue-index.js';
import { LayeredVectorIndex } from './retrieval/layered-vector-index.js';
import { SpaceIndex } from './retrieval/space-index.js';
import type { Weights } from './routing/weights.js';

/** What every space of a service needs. */
export interface SpaceContext {
  readonly config: ReachConfig;
  readonly store: VectorStore;
  readonly catalogueVersion: () => number;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
}

/** An embedding space whose model is being started. */
export interface OpenedSpace extends IndexedSpace {
  /** Resolves when its model answers; rejects with ReachError MODEL_INVALID. */
  readonly ready: Promise<void>;
  readonly nearest: LayeredVectorIndex;
}

/**
 * Starts the main model, in `folder`, and beside it the one for English where its weights know one and the
 * configuration wants it.
 * @throws ReachError MODEL_INVALID where another than that stands in its place
 */
export async function openSpaces(
  folder: ModelFolder,
  weights: Weights,
  context: SpaceContext,
): Promise<BySpace<OpenedSpace>> {
  const { englishModel, modelsFolder } = context.config;
  const englishFolder = englishModel ? await openEnglishModel(weights, modelsFolder) : undefined;
  const { main, english } = weights.background;
  return {
    main: openSpace(folder, main, 'index', context),
    english: englishFolder && openSpace(englishFolder, english, 'index-english', context),
  };
}

/** Starts a model and puts its cache and the index of its vectors together. `indexName`: its folder in the data folder. */
function openSpace(
  folder: ModelFolder,
  background: Background,
  indexName: string,
  context: SpaceContext,
): OpenedSpace {
  refuseUnlessFitting(background, folder);
  const { config, store, catalogueVersion, lifecycle, logger } = context;
  const report = (message: string) => logger.warn(message);
  const { name } = folder.identity;
  const model = new ModelClient(folder, {
    onInterruption: (detail) =>
      report(`The embedding process of ${name} ended and is started again: ${detail}`),
  });
  const cached = new CachedEmbedder(model, {
    prefix: folder.description.prefix,
    store,
    onStoreError: (error) =>
      logger.warn({ err: error }, 'Vectors could not be read from or written to the store'),
  });
  const embedder = new CentredEmbedder(cached, background);
  lifecycle.add(`embedding by ${name}`, () => embedder.close());
  const nearest = new LayeredVectorIndex({
    model: embedder.model,
    folder: config.data === null ? null : join(config.data, indexName),
    catalogueVersion,
    report,
  });
  lifecycle.add(`vector index of ${name}`, () => nearest.close());
  return { embedder, index: new SpaceIndex(nearest, embedder.model.dim), ready: model.ready, nearest };
}

/** @throws ReachError MODEL_INVALID where a background is not of as many numbers as the vectors */
function refuseUnlessFitting(background: Background, { identity: { name, dim } }: ModelFolder): void {
  for (const [script, mean] of Object.entries(background)) {
    if (mean.length === 0 || mean.length === dim) continue;
    const detail = `The background (${script}) in the weights has ${mean.length} numbers, and the vectors of ${name} have ${dim}.`;
    throw new ReachError('MODEL_INVALID', detail);
  }
}

/**
 * The folder of the model for English that these weights were learned with; undefined where it was none.
 * @throws ReachError MODEL_INVALID where there is another in its place
 */
async function openEnglishModel(
  { english_model }: Weights,
  modelsFolder: string,
): Promise<ModelFolder | undefined> {
  if (english_model === null) return undefined;
  const folder = await openModelFolder(english_model.name, modelsFolder);
  if (folder.identity.hash === english_model.sha256) return folder;
  const detail = `The weights were learned with another ${english_model.name} than that in ${folder.path}: its SHA-256 is not ${english_model.sha256}.`;
  throw new ReachError('MODEL_INVALID', detail);
}
