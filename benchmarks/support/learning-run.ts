import { fileURLToPath } from 'node:url';
import { resolveConfig } from '../../src/config.js';
import { CachedEmbedder } from '../../src/embedding/cached-embedder.js';
import type { Background } from '../../src/embedding/centred-embedder.js';
import { ModelClient } from '../../src/embedding/model-client.js';
import { type ModelFolder, openModelFolder } from '../../src/embedding/model-folder.js';
import { type LearningSet, learnWeights } from '../../src/learning/learn-weights.js';
import { rounded } from '../../src/learning/rounded.js';
import { uncalibratedWeights, type Weights } from '../../src/routing/weights.js';
import { openStores } from '../../src/storage/open-stores.js';
import { backgroundOf } from './background.js';
import type { LabelledSet } from './labelled-sets.js';

/** What the texts of the sets have in common, under one model. The vectors of catalogues stay in the data folder. */
async function backgroundUnder(
  folder: ModelFolder,
  sets: readonly LabelledSet[],
  data: string,
  onlyEnglish: boolean,
): Promise<Background> {
  const stores = await openStores({ store: null, data });
  try {
    const client = new ModelClient(folder);
    const { prefix } = folder.description;
    const embedder = new CachedEmbedder(client, { prefix, store: stores.vectors, onStoreError: () => {} });
    try {
      return await backgroundOf(embedder, sets, onlyEnglish);
    } finally {
      await embedder.close();
    }
  } finally {
    await stores.close();
  }
}

/** Weights to start learning from: nothing is known but what all texts have in common. */
export async function startWeights(
  models: { readonly main: string; readonly english: string | null },
  sets: readonly LabelledSet[],
  data: string,
): Promise<Weights> {
  const { modelsFolder } = resolveConfig();
  const main = await openModelFolder(models.main, modelsFolder);
  const english = models.english === null ? null : await openModelFolder(models.english, modelsFolder);
  const nothing = { han: [], other: [] };
  const background = {
    main: await backgroundUnder(main, sets, data, false),
    english: english === null ? nothing : await backgroundUnder(english, sets, data, true),
  };
  return {
    ...uncalibratedWeights(main.identity.hash),
    english_model: english && { name: english.identity.name, sha256: english.identity.hash },
    background: {
      main: { han: [...background.main.han], other: [...background.main.other] },
      english: { han: [...background.english.han], other: [...background.english.other] },
    },
  };
}

/** The start with what was learned from the sets. */
export function learned(
  sets: readonly LearningSet[],
  start: Weights,
  about: Pick<Weights, 'version' | 'trained_on'>,
): Weights {
  return rounded({ ...start, ...learnWeights(sets, start), ...about });
}

/**
 * Where the vectors of the sets' catalogues are kept: to make them takes the longest, and they are the same in every
 * run. Not part of the repository.
 */
export const LEARNING_DATA = fileURLToPath(new URL('../.cache', import.meta.url));
