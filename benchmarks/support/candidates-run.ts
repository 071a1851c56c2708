import { resolveConfig } from '../../src/config.js';
import { CachedEmbedder } from '../../src/embedding/cached-embedder.js';
import type { VectorStore } from '../../src/embedding/embedder.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';
import type { DecisionObserver } from '../../src/routing/decision-observer.js';
import type { Router } from '../../src/routing/router.js';
import { readWeights } from '../../src/storage/weights-file.js';
import { ClusteredEmbedder } from './clustered-embedder.js';
import { clusteredVectors } from './clustered-vectors.js';
import { newIndex, untilAtRest } from './index-run.js';
import { openCatalogue } from './open-catalogue.js';
import { templatedManifests } from './templated-manifests.js';

/** Few large agents: thousands of small ones would take minutes to publish one by one. */
const AGENT_SIZE = 500;
const INTENT_OF = (name: string) => `I need somebody to ${name}, please, with the history since last week`;
const NOTHING_STORED: VectorStore = { getMany: async () => new Map(), putMany: async () => {} };

/** A catalogue whose vectors come from no model, behind the real router. */
export interface CandidatesRun {
  readonly router: Router;
  readonly intents: readonly string[];
  close(): Promise<void>;
}

/**
 * As many capabilities as asked for with schemas, texts as teams write them, and vectors in clusters; and intents,
 * each in the words of one capability and with a vector near some capability. Resolves when all is built.
 */
export async function candidatesRun(
  capabilities: number,
  intentCount: number,
  observers: readonly DecisionObserver[] = [],
): Promise<CandidatesRun> {
  const { model, modelsFolder } = resolveConfig();
  const folder = await openModelFolder(model, modelsFolder);
  const weights = await readWeights({ modelFolder: folder.path, file: null }, folder.identity);
  const manifests = templatedManifests(capabilities, AGENT_SIZE);
  const vectors = clusteredVectors(capabilities, intentCount, { dim: folder.identity.dim });
  const told = new ClusteredEmbedder(folder.identity);
  const all = manifests.flatMap((manifest) => withDefaults(manifest, 1).capabilities);
  for (const [index, capability] of all.entries()) {
    const [first, second] = vectors.capabilities[index] ?? [];
    if (first !== undefined && second !== undefined) told.tellCapability(capability, first, second);
  }
  const intents = vectors.queries.map((vector, index) => {
    const intent = INTENT_OF(all[(index * 997) % all.length]?.name ?? '');
    told.tell(intent, vector);
    return intent;
  });
  const { prefix } = folder.description;
  const embedder = new CachedEmbedder(told, { prefix, store: NOTHING_STORED, onStoreError: () => {} });
  const index = newIndex(folder.identity.dim);
  const { registry, router } = await openCatalogue(index, embedder, weights, observers);
  for (const manifest of manifests) await registry.publish(manifest, 'api');
  await untilAtRest(index);
  return { router, intents, close: () => index.close() };
}
