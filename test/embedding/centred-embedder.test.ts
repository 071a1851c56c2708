import { beforeAll, expect, test } from 'vitest';
import { type Background, CentredEmbedder } from '../../src/embedding/centred-embedder.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { sharedEmbedder } from '../support/shared-embedder.js';
import { bits, cosine } from './bits.js';

let real: Embedder;
let han: readonly number[];
let other: readonly number[];

const CHINESE = '查询订单状态';
const ENGLISH = 'what is the status of my order';

async function vectorsOf(embedder: Embedder, ...texts: string[]): Promise<Float32Array[]> {
  return embedder.embed(texts, 'query');
}

const centred = (background: Background) => new CentredEmbedder(real, background);

beforeAll(async () => {
  real = await sharedEmbedder();
  const [chinese, english] = await vectorsOf(real, '今天天气怎么样', 'how is the weather today');
  [han, other] = [[...(chinese ?? [])], [...(english ?? [])]];
});

test('a text has the same bits each time, alone and among others', async () => {
  const embedder = centred({ han, other });
  const alone = (await vectorsOf(embedder, CHINESE)).map(bits);
  const among = (await vectorsOf(embedder, ENGLISH, CHINESE)).map(bits);
  const again = (await vectorsOf(centred({ han, other }), CHINESE)).map(bits);
  expect(among.slice(1)).toEqual(alone);
  expect(again).toEqual(alone);
});

test('half of the mean of its script is taken off, and the length is 1 again', async () => {
  const texts = [CHINESE, ENGLISH, '把CSV转成JSON', 'где мой заказ'];
  const before = await vectorsOf(real, ...texts);
  const after = await vectorsOf(centred({ han, other }), ...texts);
  for (const [i, vector] of after.entries()) {
    const mean = i % 2 === 0 ? han : other;
    const rest = Array.from(before[i] ?? [], (value, place) => value - (mean[place] ?? 0) / 2);
    const length = Math.hypot(...rest);
    expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    expect(
      cosine(
        vector,
        Float32Array.from(rest, (value) => value / length),
      ),
    ).toBeCloseTo(1, 5);
    expect(cosine(vector, before[i] ?? vector)).toBeLessThan(0.99);
  }
});

test('an unknown background changes nothing, in one script or in both', async () => {
  const before = (await vectorsOf(real, CHINESE, ENGLISH)).map(bits);
  const unknown = (await vectorsOf(centred({ han: [], other: [] }), CHINESE, ENGLISH)).map(bits);
  const half = (await vectorsOf(centred({ han: [], other }), CHINESE, ENGLISH)).map(bits);
  expect(unknown).toEqual(before);
  expect(half[0]).toEqual(before[0]);
  expect(half[1]).not.toEqual(before[1]);
});

test('two texts of a script look less alike without what is common to all of its texts', async () => {
  const pair = ['book a table for two', 'convert a spreadsheet to text'];
  const likeness = ([a, b]: Float32Array[]) => (a && b ? cosine(a, b) : Number.NaN);
  const before = likeness(await vectorsOf(real, ...pair));
  expect(likeness(await vectorsOf(centred({ han, other }), ...pair))).toBeLessThan(before);
});

test('it is the model that it stands before, for all else', () => {
  const embedder = centred({ han, other });
  expect(embedder.model).toBe(real.model);
  expect(embedder.status().state).toBe('ready');
});
