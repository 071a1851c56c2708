import { expect, test } from 'vitest';
import { openCatalogue } from '../../benchmarks/support/open-catalogue.js';
import { templatedManifests } from '../../benchmarks/support/templated-manifests.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { ManifestDocument } from '../../src/manifest/schema.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { textHash } from '../../src/text-hash.js';

const DIM = 16;
const INTENTS = 1_000;
const model = { name: 'bag of words', hash: 'bag', dim: DIM };

/** So few numbers that many texts lie at the same place. */
function bagOf(text: string): Float32Array {
  const bag = new Float32Array(DIM);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const place = Math.floor(DIM * textHash(word));
    bag[place] = (bag[place] ?? 0) + 1;
  }
  const length = Math.hypot(...bag) || 1;
  return bag.map((value) => value / length);
}

const embedder: Embedder = {
  model,
  embed: async (texts) => texts.map(bagOf),
  status: () => ({ state: 'ready', model, restarts: 0, pending: 0 }),
  close: async () => {},
};

const open = () => openCatalogue(new ExactVectorIndex(DIM), embedder);

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function anyOf(texts: readonly string[], random: () => number): string {
  return texts[Math.floor(texts.length * random())] ?? '';
}

/** One after the other, in an order of its own, each after another version of it that is gone again, or after a removal. */
async function byDetours(documents: readonly ManifestDocument[], random: () => number) {
  const catalogue = await open();
  const { registry } = catalogue;
  for (const document of shuffled(documents, random)) {
    const way = Math.floor(3 * random());
    const other = documents[Math.floor(documents.length * random())]?.capabilities ?? [];
    if (way > 0) await registry.publish({ ...document, capabilities: other, manifest_version: 1 }, 'api');
    if (way > 1) await registry.remove(document.agent_name, 'api');
    await registry.publish({ ...document, manifest_version: 2 }, 'api');
  }
  return catalogue;
}

async function together(documents: readonly ManifestDocument[]) {
  const catalogue = await open();
  const outcomes = await catalogue.registry.publishAll(
    documents.map((document) => ({ ...document, manifest_version: 2 })),
    'api',
  );
  expect(outcomes.every(({ kind }) => kind === 'published')).toBe(true);
  return catalogue;
}

test('the same manifests are decided on alike, to the last bit, by whatever way and in whatever order they came', async () => {
  const random = seededRandom(11);
  const documents = templatedManifests(500, 5);
  const catalogues = [
    await together(documents),
    await together(documents.toReversed()),
    await byDetours(documents, random),
  ];
  const texts = documents.flatMap(({ capabilities }) =>
    capabilities.flatMap(({ name, description = '', examples = [] }) => [name, description, ...examples]),
  );
  const fields = ['invoice', 'since', 'limit', 'holiday', '报表', 'unknown'];
  for (let asked = 0; asked < INTENTS; asked += 1) {
    const [one, other] = [anyOf(texts, random), anyOf(texts, random)];
    const words = shuffled(`${one} ${other}`.split(/\s+/), random);
    const intent = random() < 0.2 ? one : words.slice(0, 5).join(' ');
    const sent = shuffled(fields, random).slice(0, Math.floor(4 * random()));
    const payload = sent.length === 0 ? undefined : Object.fromEntries(sent.map((field) => [field, 'x']));
    const request = { intent, ...(payload && { payload }), topK: 64, explain: asked % 10 === 0 };
    const decided = await Promise.all(
      catalogues.map(async ({ router }) => {
        const { decision } = await router.route(request);
        const { routeId, timingMs, catalogueVersion, ...rest } = decision;
        return JSON.stringify(rest);
      }),
    );
    for (const another of decided.slice(1)) expect(another).toBe(decided[0]);
  }
}, 120_000);
