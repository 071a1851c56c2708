import { expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.js';
import { embedIntent, looksEnglish } from '../../src/embedding/embedding-space.js';
import { ReachError } from '../../src/errors.js';

test.each([
  ['what is my order status?', true],
  ["Don't e-mail me: 3 KPIs, 50% (Q1)", true],
  ['ORDER 66', true],
  ['查询订单状态', false],
  ['把 CSV 转成 JSON', false],
  ['réserver une table', false],
  ['naïve café', false],
  ['где мой заказ', false],
  ['straße', false],
  ['2026-01-02 14:30', false],
  ['!?', false],
  ['', false],
])('%j: may be English: %s', (text, expected) => {
  expect(looksEnglish(text)).toBe(expected);
});

/** An embedder whose vectors tell which one it is. */
function telling(mark: number) {
  const asked: string[] = [];
  const model = { name: `m${mark}`, hash: String(mark), dim: 1 };
  const embedder: Embedder = {
    model,
    async embed(texts, kind) {
      asked.push(...texts.map((text) => `${kind}: ${text}`));
      return texts.map(() => Float32Array.of(mark));
    },
    status: () => ({ state: 'ready', model, restarts: 0, pending: 0 }),
    close: async () => {},
  };
  return { embedder, asked };
}

test('an intent has its place in the main space, and among English where it looks English', async () => {
  const [main, english] = [telling(1), telling(2)];
  const embedders = { main: main.embedder, english: english.embedder };
  const [one, two] = [Float32Array.of(1), Float32Array.of(2)];
  expect(await embedIntent(embedders, 'my order', {})).toEqual({ main: one, english: two });
  expect(await embedIntent(embedders, '我的订单', {})).toEqual({ main: one, english: undefined });
  expect(await embedIntent({ main: main.embedder, english: undefined }, 'my order', {})).toEqual({
    main: one,
    english: undefined,
  });
  expect(english.asked).toEqual(['query: my order']);
  expect(main.asked).toHaveLength(3);
});

test('a model that gives no vector is a fault, not a place of nothing', async () => {
  const { embedder } = telling(1);
  const mute = { ...embedder, embed: async () => [] };
  await expect(embedIntent({ main: mute, english: undefined }, 'x', {})).rejects.toThrow(ReachError);
});

test('an intent in Traditional characters is embedded in Simplified ones', async () => {
  const main = telling(1);
  await embedIntent({ main: main.embedder, english: undefined }, '這張發票付款了沒有', {});
  expect(main.asked).toEqual(['query: 这张发票付款了没有']);
});
