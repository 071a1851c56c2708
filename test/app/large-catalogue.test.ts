import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusteredEmbedder } from '../../benchmarks/support/clustered-embedder.js';
import { clusteredVectors } from '../../benchmarks/support/clustered-vectors.js';
import { templatedManifests } from '../../benchmarks/support/templated-manifests.js';
import { createReach, type Reach, type ReachOptions } from '../../src/app.js';
import { resolveConfig } from '../../src/config.js';
import { CachedEmbedder } from '../../src/embedding/cached-embedder.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';
import { textsOf } from '../../src/retrieval/capability-texts.js';
import { embedCapabilities } from '../../src/retrieval/embed-capabilities.js';
import { openStores } from '../../src/storage/open-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const VERBS = [
  'list',
  'create',
  'cancel',
  'export',
  'compare',
  'approve',
  'archive',
  'print',
  'sort',
  'audit',
  'share',
];
const THINGS = [
  'invoices',
  'orders',
  'contracts',
  'meetings',
  'tickets',
  'parcels',
  'budgets',
  'holidays',
  'desks',
  'badges',
];
const PLACES = [
  'north',
  'south',
  'harbour',
  'airport',
  'castle',
  'museum',
  'market',
  'garden',
  'tower',
  'bridge',
];

/** 1,100 capabilities with two texts each, which the model embeds. */
const office = {
  agent_name: 'office',
  manifest_version: 1,
  capabilities: VERBS.flatMap((verb) =>
    THINGS.flatMap((thing) =>
      PLACES.map((place) => ({
        id: `${verb}-${thing}-${place}`,
        name: `${verb} ${thing} of the ${place}`,
        examples: [`please ${verb} the ${place} ${thing}`],
      })),
    ),
  ),
};
const lunch = {
  agent_name: 'lunch',
  manifest_version: 1,
  capabilities: [
    {
      id: 'menu',
      name: 'Canteen menu',
      description: 'Tells what the canteen cooks today.',
      examples: ['what is for lunch today'],
    },
  ],
};
/** More than are compared one by one, of companies whose vectors are stored beforehand: the model would need minutes. */
const others = templatedManifests(9_000, 4_500);
const ALL = 10_100;
const HUNGRY = 'what does the canteen cook for lunch';

const folder = await temporaryFolder(afterAll);
const options: ReachOptions = { data: folder, model: 'bge-small-en-v1.5', logLevel: 'silent' };
let reach: Reach;
beforeAll(async () => {
  await storeVectorsOfOthers();
  reach = await createReach(options);
}, 120_000);
afterAll(() => reach.close());

async function storeVectorsOfOthers(): Promise<void> {
  const { model, modelsFolder } = resolveConfig(options);
  const { identity, description } = await openModelFolder(model, modelsFolder);
  const capabilities = others.flatMap((manifest) => withDefaults(manifest, 1).capabilities);
  const vectors = clusteredVectors(capabilities.length, 0, { dim: identity.dim }).capabilities;
  const told = new ClusteredEmbedder(identity);
  for (const [i, [itself, examples]] of vectors.entries()) {
    told.tellCapability(capabilities[i] as (typeof capabilities)[number], itself, examples);
  }
  const stores = await openStores({ store: null, data: folder });
  const onStoreError = (error: unknown) => {
    throw error;
  };
  const { prefix } = description;
  const embedder = new CachedEmbedder(told, { prefix, store: stores.vectors, onStoreError });
  await embedCapabilities({ main: embedder, english: undefined }, capabilities.map(textsOf), () => {});
  await stores.close();
}

/** Everybody who comes into question for a sentence, best first. */
async function candidatesOf(intent: string): Promise<string[]> {
  const { candidates } = await reach.route({ intent, threshold: 0, topK: 64 });
  return candidates.map(({ agentName, capabilityId }) => `${agentName}/${capabilityId}`);
}

/** The files of the graphs, with the time of their last change. */
async function graphs(): Promise<readonly (readonly [string, number])[]> {
  const names = (await readdir(join(folder, 'index'))).filter((name) => name.endsWith('.hnsw')).sort();
  return Promise.all(
    names.map(async (name) => [name, (await stat(join(folder, 'index', name))).mtimeMs] as const),
  );
}

async function settled(): Promise<void> {
  await expect
    .poll(() => reach.health().vectorIndex.building, { timeout: 300_000, interval: 20 })
    .toBe(false);
}

test('thousands of capabilities in one publish do not hang: all of them are found when it returns', {
  timeout: 600_000,
}, async () => {
  for (const manifest of [...others, office]) await reach.publish(manifest);
  expect(reach.health().vectorIndex.vectors).toBe(ALL);
  for (const id of ['list-invoices-north', 'audit-desks-castle', 'share-badges-bridge']) {
    const [verb, thing, place] = id.split('-');
    expect((await candidatesOf(`please ${verb} the ${thing} of the ${place}`))[0]).toBe(`office/${id}`);
  }
});

test('most vectors lie in graphs then, and health says so', { timeout: 600_000 }, async () => {
  await settled();
  expect(reach.health().vectorIndex).toMatchObject({ state: 'ok', kind: 'graph', vectors: ALL });
  expect(reach.health().vectorIndex.detail).toMatch(/^\d+ vectors of \S+ lie in graphs \(1\)/);
  expect((await candidatesOf('please compare the tower budgets'))[0]).toBe('office/compare-budgets-tower');
});

test('what is published beside graphs is found right after, what is removed never again', {
  timeout: 600_000,
}, async () => {
  expect(await candidatesOf(HUNGRY)).not.toContain('lunch/menu');
  await reach.publish(lunch);
  expect((await candidatesOf(HUNGRY))[0]).toBe('lunch/menu');
  await reach.remove('lunch');
  expect(await candidatesOf(HUNGRY)).not.toContain('lunch/menu');

  // Out of a graph too.
  const gone = 'sort-parcels-harbour';
  const capabilities = office.capabilities.filter(({ id }) => id !== gone);
  await reach.publish({ ...office, manifest_version: 2, capabilities });
  await settled();
  expect(await candidatesOf('please sort the harbour parcels')).not.toContain(`office/${gone}`);
});

test('the next start takes up the graphs that are kept, and finds the same', {
  timeout: 600_000,
}, async () => {
  const intents = [HUNGRY, 'please sort the harbour parcels', 'please compare the tower budgets'];
  const before = await Promise.all(intents.map(candidatesOf));
  await reach.close();
  const kept = await graphs();
  reach = await createReach(options);
  await settled();
  expect(await graphs()).toEqual(kept);
  expect(reach.health().vectorIndex).toMatchObject({ state: 'ok', kind: 'graph', vectors: ALL - 1 });
  expect(await Promise.all(intents.map(candidatesOf))).toEqual(before);
});
