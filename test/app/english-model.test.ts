import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type ReachOptions } from '../../src/app.js';
import type { ModelIdentity } from '../../src/embedding/embedder.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = await temporaryFolder(afterAll);

let main: ModelIdentity;
let english: ModelIdentity;
beforeAll(async () => {
  main = (await openModelFolder('multilingual-e5-small', MODELS_FOLDER)).identity;
  english = (await openModelFolder('bge-small-en-v1.5', MODELS_FOLDER)).identity;
});

/** A service whose weights know this model for English. */
async function openedWith({ name, hash }: Pick<ModelIdentity, 'name' | 'hash'>, options: ReachOptions = {}) {
  const weights = join(folder, `${hash.slice(0, 8)}.json`);
  await writeFile(
    weights,
    JSON.stringify({ ...uncalibratedWeights(main.hash), english_model: { name, sha256: hash } }),
  );
  const reach = await createReach({ logLevel: 'silent', weights, ...options });
  onTestFinished(() => reach.close());
  return reach;
}

const manifest = {
  agent_name: 'office',
  manifest_version: 1,
  capabilities: [
    {
      id: 'parking',
      name: 'Parking space',
      description: 'Reserves a space.',
      examples: ['where can I park'],
    },
    { id: 'leave', name: '请假', description: '申请年假。', examples: ['我想请三天年假'] },
  ],
};

async function signalsOf(reach: Reach, intent: string, capabilityId: string) {
  const { candidates } = await reach.route({ intent, explain: true });
  const candidate = candidates.find((it) => it.capabilityId === capabilityId);
  expect(candidate, `${capabilityId} for ${intent}`).toBeDefined();
  return candidate?.signals ?? {};
}

describe('a second model for English', () => {
  test('knows English intents and capabilities, and leaves the others to the first', async () => {
    const reach = await openedWith(english);
    await reach.publish(manifest);
    const both = await signalsOf(reach, 'somewhere to park', 'parking');
    expect(both.english_centroid).toBeGreaterThan(0);
    expect(both.beside_centroid).toBeGreaterThan(0);
    expect(both.views_centroid).toBe(0);
    for (const [intent, capability] of [
      ['停车', 'parking'],
      ['a day off', 'leave'],
      ['请假', 'leave'],
    ] as const) {
      const { english_centroid, beside_centroid, views_centroid } = await signalsOf(
        reach,
        intent,
        capability,
      );
      expect([english_centroid, beside_centroid], `${capability} for ${intent}`).toEqual([0, 0]);
      expect(views_centroid).toBeGreaterThan(0);
    }
    expect(await signalsOf(reach, 'a day off', 'leave')).toMatchObject({ not_english: 1 });
    expect(await signalsOf(reach, '请假', 'leave')).toMatchObject({ not_english: 0 });
    const { confidenceInputs } = await reach.route({ intent: 'somewhere to park', explain: true });
    expect(confidenceInputs).toMatchObject({ other_language: 1 / 2 });
    const { embedding, vectorIndex } = reach.health();
    expect(embedding.detail).toContain(`${main.name} is ready. ${english.name} is ready.`);
    expect(vectorIndex.vectors).toBe(2 + 1);
  });

  test('is not there where the configuration does not want it', async () => {
    const reach = await openedWith(english, { englishModel: false });
    await reach.publish(manifest);
    const { english_centroid, views_centroid } = await signalsOf(reach, 'somewhere to park', 'parking');
    expect(english_centroid).toBe(0);
    expect(views_centroid).toBeGreaterThan(0);
    expect(reach.health().embedding.detail).toBe(`${main.name} is ready.`);
  });

  test('is refused where it is another than the weights were learned with, or is not there', async () => {
    const other = { name: english.name, hash: main.hash };
    await expect(openedWith(other)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    await expect(openedWith({ ...other, name: 'nonesuch' })).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    const reach = await openedWith(other, { englishModel: false });
    expect(reach.ready).toBe(true);
  });
});

test('an English intent finds what it means among capabilities in English and in Chinese', async () => {
  const reach = await createReach({ logLevel: 'silent' });
  onTestFinished(() => reach.close());
  await reach.publish({
    agent_name: 'bilingual-office',
    manifest_version: 1,
    capabilities: [
      ...manifest.capabilities,
      { id: 'lunch', name: 'Order lunch', description: 'Orders meals from the canteen.' },
      { id: 'expenses', name: '报销', description: '提交差旅费用报销单。' },
      { id: 'meeting', name: '会议室', description: '预订会议室。' },
    ],
  });
  for (const [intent, expected] of [
    ['somewhere to leave my car', 'parking'],
    ['get me a sandwich at noon', 'lunch'],
    ['claim back what my business trip cost', 'expenses'],
    ['I want to take some days of annual leave', 'leave'],
    ['book us a room for the meeting', 'meeting'],
  ] as const) {
    const { candidates } = await reach.route({ intent });
    expect(candidates[0]?.capabilityId, intent).toBe(expected);
  }
});

test.each([
  [
    'a path in place of a name',
    { english_model: { name: '../elsewhere', sha256: '0'.repeat(64) } },
    'english_model',
  ],
  [
    'a background of another length',
    { background: { main: { han: [1, 2, 3], other: [] }, english: { han: [], other: [] } } },
    'has 3 numbers',
  ],
])('weights with %s are refused at the start', async (title, fault, told) => {
  const weights = join(folder, `${title.replaceAll(' ', '-')}.json`);
  await writeFile(weights, JSON.stringify({ ...uncalibratedWeights(main.hash), ...fault }));
  await expect(createReach({ logLevel: 'silent', weights })).rejects.toMatchObject({
    code: 'MODEL_INVALID',
    message: expect.stringContaining(told),
  });
});
