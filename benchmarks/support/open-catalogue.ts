import { systemClock } from '../../src/clock.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { InstanceTable } from '../../src/health/instance-table.js';
import { InstanceRegistry } from '../../src/registry/instance-registry.js';
import { Registry } from '../../src/registry/registry.js';
import { CatalogueIndex } from '../../src/retrieval/catalogue-index.js';
import { SpaceIndex } from '../../src/retrieval/space-index.js';
import type { VectorIndex } from '../../src/retrieval/vector-index.js';
import type { DecisionObserver } from '../../src/routing/decision-observer.js';
import { InstanceChoice } from '../../src/routing/instance-choice.js';
import type { InstanceStrategies } from '../../src/routing/instance-strategy.js';
import { Router } from '../../src/routing/router.js';
import { uncalibratedWeights, type Weights } from '../../src/routing/weights.js';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';
import { MemoryInstanceStore } from '../../src/storage/memory/instance-store.js';
import { TeamVersions } from '../../src/storage/memory/team-versions.js';

/** Registry, index and router as the service puts them together, in memory, over one embedder and an empty index. */
export async function openCatalogue(
  nearest: VectorIndex,
  embedder: Embedder,
  weights?: Weights,
  observers: readonly DecisionObserver[] = [],
  strategies: InstanceStrategies = {},
) {
  const { model } = embedder;
  const rules = { strictCompat: false, folderWatched: false };
  const report = (message: string) => process.stderr.write(`${message}\n`);
  const team = 'default';
  const versions = new TeamVersions();
  const registry = new Registry({ store: new MemoryCatalogueStore(versions), team, rules, report });
  const main = { embedder, index: new SpaceIndex(nearest, model.dim) };
  const index = new CatalogueIndex({ main, english: undefined }, () => {});
  const instances = new InstanceTable(systemClock);
  const instanceStore = new MemoryInstanceStore(versions);
  const instanceRegistry = new InstanceRegistry({ store: instanceStore, team, clock: systemClock, report });
  instanceRegistry.follow(instances);
  registry.follow(instances);
  registry.follow(instanceRegistry);
  registry.follow(index);
  await registry.load();
  const serving = weights ?? uncalibratedWeights(model.hash);
  const judged = {
    catalogue: () => registry.snapshot,
    index,
    embedders: { main: embedder, english: undefined },
    instances,
    clock: systemClock,
    threshold: null,
    fallbackAgent: null,
    rules: () => [],
  };
  const choice = new InstanceChoice(strategies);
  const router = new Router({ ...judged, choice, weights: () => serving, observers });
  return { registry, router, judged };
}
