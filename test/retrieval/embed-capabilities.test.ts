import { expect, test, vi } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.js';
import { textsOf } from '../../src/retrieval/capability-texts.js';
import { embedCapabilities } from '../../src/retrieval/embed-capabilities.js';
import { inMain, manifestOf } from '../support/candidates.js';

/** An embedder that gives each text a direction of its own, and keeps what it was asked. */
function recording(vectorOf = (place: number) => Float32Array.of(Math.cos(place), Math.sin(place))) {
  const asked: string[] = [];
  const model = { name: 'm', hash: 'm', dim: 2 };
  const embedder: Embedder = {
    model,
    embed: async (texts) => texts.map((text) => vectorOf(asked.push(text))),
    status: () => ({ state: 'ready', model, restarts: 0, pending: 0 }),
    close: async () => {},
  };
  return { embedder, asked };
}

const textsFor = (capability: Parameters<typeof manifestOf>[1][number]) =>
  manifestOf('a', [capability]).capabilities.map(textsOf);

const ORDER = textsFor({
  id: 'orderStatus',
  description: 'Says where an order is.',
  examples: ['where is it', '我的订单'],
});
const LEAVE = textsFor({ id: '请假', description: '申请年假。', examples: ['I want a day off'] });
const NOTES = textsFor({
  id: 'Notes',
  description: 'Takes notes.',
  input_schema: { properties: { text: { description: '内容' } } },
});

test('views and examples are embedded in the main space, each text once', async () => {
  const { embedder, asked } = recording();
  const onProgress = vi.fn();
  const vectorsOf = await embedCapabilities(inMain(embedder), [...ORDER, ...ORDER], onProgress);
  const summary = 'order Status. Says where an order is.';
  expect(asked).toEqual(['order Status', 'Says where an order is.', summary, 'where is it', '我的订单']);
  expect(onProgress.mock.calls).toEqual([[5, 5]]);
  const [{ main, english } = { main: undefined, english: undefined }] = ORDER.map(vectorsOf);
  expect(main?.examples).toHaveLength(2);
  expect(main?.full).toEqual(main?.summary);
  expect(english).toBeUndefined();
});

test('only what is English has its place among English', async () => {
  const [main, english] = [recording(), recording()];
  const embedders = { main: main.embedder, english: english.embedder };
  const onProgress = vi.fn();
  const vectorsOf = await embedCapabilities(embedders, [...ORDER, ...LEAVE, ...NOTES], onProgress);
  expect(english.asked).toEqual([
    'order Status',
    'Says where an order is.',
    'order Status. Says where an order is.',
    'where is it',
    'Notes',
    'Takes notes.',
    'Notes. Takes notes.',
  ]);
  expect(main.asked).toContain('Notes. Takes notes. text: 内容');
  const total = main.asked.length + english.asked.length;
  expect(onProgress).toHaveBeenLastCalledWith(total, total);
  expect(ORDER.map((texts) => vectorsOf(texts).english?.examples.length)).toEqual([1]);
  expect(LEAVE.map((texts) => vectorsOf(texts).english)).toEqual([undefined]);
  // Its fields are described in Chinese: among English its summary stands for all of it.
  const [notes] = NOTES.map((texts) => vectorsOf(texts).english);
  expect(notes?.full).toEqual(notes?.summary);
});

test('what is no vector is refused', async () => {
  const { embedder } = recording(() => Float32Array.of(Number.NaN, 1));
  const vectorsOf = await embedCapabilities(inMain(embedder), ORDER, () => {});
  expect(() => ORDER.map(vectorsOf)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});
