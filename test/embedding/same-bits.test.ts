import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelClient } from '../../src/embedding/model-client.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { bits } from './bits.js';

const SENTENCES = [
  '生成本周销售周报摘要',
  'turn this csv into json',
  'pivot sales by region and month',
  '帮我把这个表格转成 JSON',
  'where is my order 20231188',
  '我想请三天年假',
  "what's the capital of France",
  'ｆｕｌｌ－ｗｉｄｔｈ 😀👩‍👩‍👧',
];

/** 32 texts of 1 to some 300 words, so that a batch of them is padded, and in more than one way. */
const MIXED = Array.from({ length: 32 }, (_, index) => {
  const sentence = SENTENCES[index % SENTENCES.length] ?? '';
  return `${sentence} ${'and then the total of each month '.repeat((index % 7) ** 2)}${index}`;
});

async function alone(client: ModelClient, texts: readonly string[]): Promise<string[]> {
  const vectors: string[] = [];
  for (const text of texts) vectors.push(...(await client.embed([text], 'query')).map(bits));
  return vectors;
}

describe.each(['multilingual-e5-small', 'bge-small-en-v1.5'])(
  "%s gives a text's vector the same bits",
  (name) => {
    let client: ModelClient;
    beforeAll(async () => {
      client = new ModelClient(await openModelFolder(name, MODELS_FOLDER));
      await client.ready;
    });
    afterAll(() => client.close());

    test('alone, in a batch of 32, in the other order, as bulk, and after a restart', async () => {
      const expected = await alone(client, MIXED);
      expect(new Set(expected).size).toBe(MIXED.length);
      const batch = await client.embed(MIXED, 'query');
      expect(batch.map(bits)).toEqual(expected);
      const turned = await client.embed(MIXED.toReversed(), 'query');
      expect(turned.map(bits)).toEqual(expected.toReversed());
      const bulk = await client.embed(MIXED, 'query', { bulk: true });
      expect(bulk.map(bits)).toEqual(expected);

      process.kill(client.pid ?? 0, 'SIGKILL');
      await expect
        .poll(() => client.status(), { timeout: 60_000 })
        .toMatchObject({ state: 'ready', restarts: 1 });
      expect((await client.embed(MIXED, 'query')).map(bits)).toEqual(expected);
    });

    test('whether a lone surrogate is in it or U+FFFD, as it would become on any wire', async () => {
      const [surrogate, replaced] = await client.embed(['a\ud800b', 'a\ufffdb'], 'query');
      expect(surrogate).toEqual(replaced);
    });

    test('as unit vectors', async () => {
      for (const vector of await client.embed(SENTENCES, 'passage')) {
        expect(vector).toHaveLength(client.model.dim);
        // No view of a larger message, which would stay in memory with it.
        expect(vector.buffer.byteLength).toBe(vector.byteLength);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      }
    });
  },
);
