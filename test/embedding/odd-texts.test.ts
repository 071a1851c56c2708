import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.js';
import { ModelClient } from '../../src/embedding/model-client.js';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { MODELS_FOLDER, sharedEmbedder } from '../support/shared-embedder.js';
import { bits, cosine } from './bits.js';

let embedder: Embedder;
beforeAll(async () => {
  embedder = await sharedEmbedder();
});

async function embed(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], 'query');
  return vector ?? new Float32Array();
}

describe('any text has a unit vector', () => {
  test.each([
    ['empty', ''],
    ['blank', ' \t\n　'],
    ['emoji', '😀👩‍👩‍👧🏳️‍🌈'],
    ['full-width', 'ＴＵＲＮ　ｔｈｉｓ　ｃｓｖ'],
    ['control characters', 'a\u0000b\u0007\u001b[31m\u202e'],
    ['a lone surrogate', 'a\ud800 b'],
    ['only lone surrogates', '\udc00\ud800'],
    ["the model's own special tokens", '</s><s><pad><mask><unk>'],
    ['combining marks', `e${'\u0301'.repeat(2_000)}`],
    ['what grows when normalised', '\ufdfa'.repeat(500)],
  ])('%s', async (_, text) => {
    expect(Math.hypot(...(await embed(text)))).toBeCloseTo(1, 5);
  });

  test('100,000 characters', async () => {
    for (const text of ['x'.repeat(100_000), 'report of the week '.repeat(5_264)]) {
      expect(Math.hypot(...(await embed(text)))).toBeCloseTo(1, 5);
    }
  }, 300_000);
});

describe.each(['multilingual-e5-small', 'bge-small-en-v1.5'])('to %s', (name) => {
  test('full-width letters mean what plain ones mean', async () => {
    const model = new ModelClient(await openModelFolder(name, MODELS_FOLDER));
    onTestFinished(() => model.close());
    const texts = [
      'ｔｕｒｎ ｔｈｉｓ ｃｓｖ ｉｎｔｏ ｊｓｏｎ',
      'turn this csv into json',
      'where is my order',
    ];
    const [wide, plain, other] = (await model.embed(texts, 'query')).map(bits);
    expect(wide).toBe(plain);
    expect(wide).not.toBe(other);
  });
});

test('a long text counts to its last sentence', async () => {
  const start = 'The quarterly numbers were read aloud and nobody said anything. '.repeat(120);
  const [orders, leave] = await Promise.all([
    embed(`${start} Where is my order?`),
    embed(`${start} I want to take three days off.`),
  ]);
  expect(bits(orders)).not.toBe(bits(leave));
  expect(cosine(orders, leave)).toBeLessThan(1);
});

test('texts come back in the order in which they were given, long ones among short ones', async () => {
  const texts = ['turn this csv into json', 'long '.repeat(2_000), '我想请三天年假', 'again '.repeat(700)];
  const together = await embedder.embed(texts, 'query');
  const one = await Promise.all(texts.map(embed));
  expect(together.map(bits)).toEqual(one.map(bits));
});
