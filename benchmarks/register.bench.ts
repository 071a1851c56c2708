import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Reach } from '../src/app.js';
import { resolveConfig } from '../src/config.js';
import { percentile } from '../src/evaluation/percentile.js';
import { parseManifest } from '../src/manifest/parse-manifest.js';
import type { ManifestDocument } from '../src/manifest/schema.js';
import { textsOf } from '../src/retrieval/capability-texts.js';
import { VIEWS } from '../src/retrieval/capability-vectors.js';
import { type BareModel, ENGLISH_MODEL, loadBareModel } from './support/bare-model.js';
import { createReach } from './support/built-app.js';
import type { Bench } from './support/figure.js';
import { freshManifests } from './support/fresh-manifests.js';
import { freshTexts } from './support/fresh-texts.js';
import { interleave } from './support/interleave.js';
import { withTemporaryFolder } from './support/temporary-folder.js';

const WARM_UP = 10;
const ROUNDS = 40;
/** Published while intents are routed, each new and once more with stored vectors. */
const BUSY_ROUNDS = 40;
const ROUTES_A_SECOND = 50;
const MOST_ROUTES = 20_000;
const TICK_MS = 10;
const QUIET_MS = 5_000;
/** Of these sizes, the one that gives the vectors of an agent in the least time. */
const BARE_BATCH = 8;
/** Timer of the event loop's watch, in ms; it is part of every delay that is told. */
const RESOLUTION_MS = 1;

/** Batches of the texts of a manifest, like long ones together, so that hardly anything is padded; each text once. */
async function batchesOf(document: ManifestDocument): Promise<readonly (readonly string[])[]> {
  const { manifest } = await parseManifest(document);
  const all = manifest.capabilities.flatMap((capability) => {
    const texts = textsOf(capability);
    return [...VIEWS.map((view) => texts[view]), ...texts.examples];
  });
  const texts = [...new Set(all)].sort((a, b) => a.length - b.length);
  return Array.from({ length: Math.ceil(texts.length / BARE_BATCH) }, (_, index) =>
    texts.slice(index * BARE_BATCH, (index + 1) * BARE_BATCH),
  );
}

/** The same texts under another name: new to the catalogue, while the store has the vectors. */
const twinOf = (manifest: ManifestDocument) => ({ ...manifest, agent_name: `${manifest.agent_name}-twin` });

interface BareModels {
  readonly main: BareModel;
  readonly english: BareModel;
}

/** Publishing agents, new ones and such whose vectors are stored, against the bare pass over the texts of the new ones. */
async function publishTimes(reach: Reach, models: BareModels, manifests: readonly ManifestDocument[]) {
  const batches = await Promise.all(manifests.map(batchesOf));
  const sides = (first: number) => ({
    bare: async (round: number) => {
      for (const batch of batches[first + round] ?? []) {
        await models.main(batch, 'passage');
        // Its vectors are not the same in a batch, so it gets one text at a time.
        for (const text of batch) await models.english([text], 'passage');
      }
    },
    measured: (round: number) => reach.publish(manifests[first + round]),
  });
  await interleave(sides(0), WARM_UP);
  const fresh = await interleave(sides(WARM_UP), ROUNDS);
  const stored: number[] = [];
  for (const manifest of manifests) {
    const startedAt = performance.now();
    await reach.publish(twinOf(manifest));
    stored.push(performance.now() - startedAt);
  }
  return { fresh, stored: stored.slice(WARM_UP).sort((a, b) => a - b) };
}

/** Routes new texts at a steady rate while the work runs; gives how late the event loop is, and the rate that came of it. */
async function whileRouting(reach: Reach, texts: Iterator<string>, work: () => Promise<unknown>) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const routes: Promise<unknown>[] = [];
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const timer = setInterval(() => {
    while (routes.length < seconds() * ROUTES_A_SECOND) routes.push(reach.route(texts.next().value ?? ''));
  }, TICK_MS);
  delay.enable();
  await work();
  delay.disable();
  clearInterval(timer);
  await Promise.all(routes);
  return { delayP99: delay.percentile(99) / 1e6, routesASecond: routes.length / seconds() };
}

/** The event loop while agents are published, new ones and such with stored vectors, and while none is. */
async function busyLoop(reach: Reach, manifests: readonly ManifestDocument[]) {
  const texts = freshTexts(MOST_ROUTES)
    .map((text) => `route ${text}`)
    .values();
  const busy = await whileRouting(reach, texts, async () => {
    for (const manifest of manifests) {
      await reach.publish(manifest);
      await reach.publish(twinOf(manifest));
    }
  });
  const quiet = await whileRouting(reach, texts, () => setTimeout(QUIET_MS));
  return { busy, quiet };
}

export const bench: Bench = {
  name: 'register',
  title: `Publishing an agent of five capabilities with five examples each, over a store in a file, against the bare forward passes of its texts by both models, one after the other, in batches of ${BARE_BATCH} where batches do not change a vector.`,
  async run() {
    const { model, modelsFolder } = resolveConfig();
    const models = {
      main: await loadBareModel(modelsFolder, model),
      english: await loadBareModel(modelsFolder, ENGLISH_MODEL),
    };
    return withTemporaryFolder(async (data) => {
      const reach = await createReach({ data });
      try {
        const manifests = freshManifests(WARM_UP + ROUNDS + BUSY_ROUNDS);
        const alone = WARM_UP + ROUNDS;
        const { fresh, stored } = await publishTimes(reach, models, manifests.slice(0, alone));
        const { busy, quiet } = await busyLoop(reach, manifests.slice(alone));
        const ms = { unit: 'ms', better: 'lower' } as const;
        return [
          {
            name: 'new, ratio, p50',
            value: fresh.ratioP50,
            unit: 'x',
            better: 'lower',
            goal: 1.1,
            ceiling: 1,
          },
          { ...ms, name: 'new, p50', value: fresh.measured.p50, goal: null, ceiling: fresh.bare.p50 },
          { ...ms, name: 'vectors stored, p50', value: percentile(stored, 0.5), goal: 25 },
          {
            ...ms,
            name: 'event loop delay while routing, p99',
            value: busy.delayP99,
            goal: 20,
            ceiling: quiet.delayP99,
          },
          {
            name: 'new texts routed meanwhile',
            value: busy.routesASecond,
            unit: '/s',
            better: 'higher',
            goal: null,
          },
        ];
      } finally {
        await reach.close();
      }
    });
  },
};
