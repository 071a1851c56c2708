import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import type { ManifestDocument } from '../../src/manifest/schema.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';
import type { Accepts, VectorIndex } from '../../src/retrieval/vector-index.js';
import { ClusteredEmbedder } from './clustered-embedder.js';
import { newExact, newIndex, recallAt5, residentMb, untilAtRest } from './index-run.js';
import { openCatalogue } from './open-catalogue.js';
import { type VersionedManifests, versionedManifests } from './versioned-manifests.js';

const DIM = 384;
/** Less than the service has, so that a catalogue that can be replaced within minutes lies in graphs. */
export const EXACT_UP_TO = 1_000;
/** More than sets of candidates are kept: when an intent comes again, its candidates are not known any more. */
const INTENTS = 4_000;
/** Between two routes, for the service to be idle in. */
const PAUSE_MS = 5;
const COLLECTED_MS = 1_000;

/** Changes both, answers from the first. */
class Mirrored implements VectorIndex {
  readonly #index: VectorIndex;
  readonly #mirror: VectorIndex;

  constructor(index: VectorIndex, mirror: VectorIndex) {
    this.#index = index;
    this.#mirror = mirror;
  }

  add(id: number, vector: Float32Array): void {
    this.#index.add(id, vector);
    this.#mirror.add(id, vector);
  }

  remove(id: number): void {
    this.#index.remove(id);
    this.#mirror.remove(id);
  }

  search(query: Float32Array, k: number, accepts: Accepts): number[] {
    return this.#index.search(query, k, accepts);
  }
}

function embedderOf({ manifests, intents, vectors }: VersionedManifests): ClusteredEmbedder {
  const told = new ClusteredEmbedder({ name: 'benchmark', hash: 'benchmark', dim: DIM });
  const vectorOf = (text = '') => vectors.get(text) ?? new Float32Array(DIM);
  for (const manifest of manifests) {
    for (const capability of withDefaults(manifest, 1).capabilities) {
      told.tellCapability(capability, vectorOf(capability.name), vectorOf(capability.examples[0]));
    }
  }
  for (const intent of intents) told.tell(intent, vectorOf(intent));
  return told;
}

/** A router over a catalogue of which every capability can be replaced `versions - 1` times. */
export async function churnRun(size: { readonly capabilities: number; readonly versions: number }) {
  const catalogue = versionedManifests({ ...size, intents: INTENTS });
  const { manifests, intents, vectors } = catalogue;
  const [index, exact] = [newIndex(DIM, EXACT_UP_TO), newExact(DIM)];
  const { registry, router } = await openCatalogue(new Mirrored(index, exact), embedderOf(catalogue));
  const agents = manifests.length / size.versions;
  let published = agents;
  let routed = 0;

  /** How long each route takes, in ms, in ascending order. */
  async function routesUntil(isOver: () => boolean): Promise<number[]> {
    const times: number[] = [];
    while (!isOver()) {
      const intent = intents[routed % INTENTS] ?? '';
      routed += 1;
      const startedAt = performance.now();
      await router.route({ intent });
      times.push(performance.now() - startedAt);
      await setTimeout(PAUSE_MS);
    }
    return times.sort((a, b) => a - b);
  }

  async function publish(documents: readonly ManifestDocument[]): Promise<void> {
    for (const outcome of await registry.publishAll(documents, 'api')) {
      if (outcome.kind === 'refused') throw outcome.error;
    }
  }

  await publish(manifests.slice(0, agents));
  await untilAtRest(index);
  return {
    settled: () => untilAtRest(index),
    routesFor(durationMs: number): Promise<number[]> {
      const end = performance.now() + durationMs;
      return routesUntil(() => performance.now() > end);
    },
    async routesWhile(work: Promise<void>): Promise<number[]> {
      let isOver = false;
      const done = work.finally(() => {
        isOver = true;
      });
      const [times] = await Promise.all([routesUntil(() => isOver), done]);
      return times;
    },
    /** Replaces every capability so often, at most so many a second. */
    async replaceAll(times: number, perSecond: number): Promise<void> {
      const last = published + agents * times;
      for (let dueAt = performance.now(); published < last; published += 1) {
        const [manifest] = manifests.slice(published, published + 1);
        if (manifest === undefined) throw new Error('There is no further version to publish.');
        const leftMs = dueAt - performance.now();
        await (leftMs > 0 ? setTimeout(leftMs) : nextTurn());
        await publish([manifest]);
        dueAt += (manifest.capabilities.length / perSecond) * 1000;
      }
    },
    recallAt5(): number {
      const queries = intents.slice(0, 500).flatMap((intent) => vectors.get(intent) ?? []);
      return recallAt5(index, exact, queries);
    },
    /** In use by JavaScript, and resident with what the allocators keep and the graphs; each after garbage collections. */
    async memory() {
      // What the first one finds to be garbage is given back by and by.
      residentMb();
      await setTimeout(COLLECTED_MS);
      const resident = residentMb();
      const { heapUsed, external } = process.memoryUsage();
      return { residentMb: resident, inUseMb: (heapUsed + external) / 1e6 };
    },
    status: () => index.status(),
    close: () => index.close(),
  };
}
