import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../src/clock.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { InstanceTable } from '../../src/health/instance-table.js';
import { Registry } from '../../src/registry/registry.js';
import { CatalogueIndex } from '../../src/retrieval/catalogue-index.js';
import type { VectorIndex } from '../../src/retrieval/vector-index.js';
import { Router } from '../../src/routing/router.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { MemoryCatalogueStore } from '../../src/storage/memory-stores.js';

const MODEL = { name: 'benchmark', hash: 'benchmark' };

/** Knows the vector of every text it will be asked for; answers in the next turn, as a process of its own would. */
function knowingEmbedder(vectors: ReadonlyMap<string, Float32Array>, dim: number): Embedder {
  const model = { ...MODEL, dim };
  return {
    model,
    embed: async (texts) => {
      await nextTurn();
      return texts.map((text) => vectors.get(text) ?? new Float32Array(dim));
    },
    status: () => ({ state: 'ready', model, restarts: 0, pending: 0 }),
    close: async () => {},
  };
}

/** Registry, index and router as the service puts them together, in memory, with vectors that are known beforehand. */
export async function openCatalogue(
  vectors: VectorIndex,
  known: ReadonlyMap<string, Float32Array>,
  dim: number,
) {
  const embedder = knowingEmbedder(known, dim);
  const rules = { strictCompat: false, folderWatched: false };
  const report = (message: string) => process.stderr.write(`${message}\n`);
  const registry = new Registry({ store: new MemoryCatalogueStore(), team: MODEL.name, rules, report });
  const index = new CatalogueIndex(embedder, vectors, () => {});
  const instances = new InstanceTable();
  registry.follow(instances);
  registry.follow(index);
  await registry.load();
  const router = new Router({
    registry,
    index,
    embedder,
    instances,
    weights: uncalibratedWeights(MODEL.hash),
    clock: systemClock,
    threshold: null,
    fallbackAgent: null,
  });
  return { registry, router };
}
