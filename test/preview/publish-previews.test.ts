import { beforeAll, describe, expect, test } from 'vitest';
import type { Embedder } from '../../src/embedding/embedder.js';
import { PublishPreviews } from '../../src/preview/publish-previews.js';
import { Registry } from '../../src/registry/registry.js';
import { CatalogueIndex } from '../../src/retrieval/catalogue-index.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import { SpaceIndex } from '../../src/retrieval/space-index.js';
import { uncalibratedWeights } from '../../src/routing/weights.js';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';
import type { RecordedDecision } from '../../src/wire/records.js';
import { inMain } from '../support/candidates.js';
import { HandClock } from '../support/hand-clock.js';
import { sharedEmbedder } from '../support/shared-embedder.js';
import { decision } from '../support/stand-in-reach.js';
import { until } from '../support/until.js';

let real: Embedder;
beforeAll(async () => {
  real = await sharedEmbedder();
});

const manifestOf = (name: string, examples: readonly string[]) => ({
  agent_name: name,
  manifest_version: 1,
  capabilities: [{ id: 'do', name: examples[0], examples }],
});

/** Dry runs over a small catalogue, by the real model, whose calls a test may disturb. */
async function previewing(disturbed: (clock: HandClock) => Partial<Embedder> = () => ({})) {
  const clock = new HandClock();
  const embedder: Embedder = {
    model: real.model,
    embed: (texts, kind, options) => real.embed(texts, kind, options),
    status: () => real.status(),
    close: async () => {},
    ...disturbed(clock),
  };
  const indexed = (by: Embedder) =>
    inMain({ embedder: by, index: new SpaceIndex(new ExactVectorIndex(real.model.dim), real.model.dim) });
  const rules = { strictCompat: false, folderWatched: false };
  const registry = new Registry({ store: new MemoryCatalogueStore(), team: 't', rules, report: () => {} });
  const index = new CatalogueIndex(indexed(embedder), () => {});
  registry.follow(index);
  await registry.load();
  const weights = uncalibratedWeights(real.model.hash);
  const previews = new PublishPreviews({
    catalogue: () => registry.snapshot,
    index,
    embedders: inMain(embedder),
    weights: () => weights,
    threshold: 0,
    fallbackAgent: null,
    rules: () => [],
    clock,
  });
  const preview = async (
    intents: Iterable<string> | AsyncIterable<string>,
    signal = new AbortController().signal,
  ) => {
    const { agent } = await registry.plan(manifestOf('refunds', ['refund an order', '退款']), 'api');
    return previews.of(agent, recorded(intents), signal);
  };
  return { clock, registry, preview };
}

async function* recorded(
  intents: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<RecordedDecision> {
  const { reason: _, targetAddress: __, missingFields: ___, model: ____, ...kept } = decision;
  for await (const intent of intents)
    yield {
      ...kept,
      intent,
      at: '2026-01-01T00:00:00.000Z',
      payloadFields: {},
      user: null,
      reported: null,
      shadow: null,
    };
}

const INTENTS = ['refund my order', 'pay me back', '请退款', 'take a day off'];

describe('a dry run', () => {
  test('decides every recorded intent under both, and leaves what serves as it is', async () => {
    const { registry, preview } = await previewing();
    await registry.publish(manifestOf('leave', ['take a day off', '请假']), 'api');
    const { snapshot } = registry;
    const { wouldChange } = await preview(INTENTS);
    expect(wouldChange).toMatchObject({ since: null, asked: 4, leftOut: 0 });
    expect(wouldChange.changed.map(({ intent }) => intent)).toEqual(INTENTS.slice(0, 3));
    expect(registry.snapshot).toBe(snapshot);
  });

  test('reads for 5 s, and says how far it came', async () => {
    const { clock, preview } = await previewing();
    const slowly = async function* () {
      for (const intent of INTENTS) {
        clock.pass(2_000);
        yield intent;
      }
    };
    const { wouldChange } = await preview(slowly());
    expect(wouldChange).toMatchObject({ since: '2026-01-01T00:00:00.000Z', asked: 2, leftOut: 0 });
  });

  test('asks as long as there is time, and says what was left out', async () => {
    const slow = (clock: HandClock) => ({
      embed: ((texts, kind, options) => {
        if (kind === 'query' && INTENTS.includes(texts[0] ?? '')) clock.pass(5_000);
        return real.embed(texts, kind, options);
      }) satisfies Embedder['embed'],
    });
    const { preview } = await previewing(slow);
    const { wouldChange, overlaps } = await preview(INTENTS);
    expect(wouldChange.asked).toBeGreaterThan(0);
    expect(wouldChange.leftOut).toBeGreaterThan(0);
    expect(wouldChange.asked + wouldChange.leftOut).toBe(INTENTS.length);
    expect(overlaps).toEqual([]);
  });

  test('asks nothing where the manifest cannot be embedded in time', async () => {
    let waiting = false;
    const stuck = () => ({
      embed: ((_, __, { signal } = {}) => {
        waiting = true;
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }) satisfies Embedder['embed'],
    });
    const { clock, preview } = await previewing(stuck);
    const foreseen = preview(INTENTS);
    await until(() => waiting);
    clock.pass(30_000);
    expect(await foreseen).toEqual({
      overlaps: null,
      wouldChange: { since: null, asked: 0, changed: [], leftOut: INTENTS.length },
    });
  });

  test('ends when its caller goes, and makes room for the next', async () => {
    const endless = async function* () {
      for (;;) yield await Promise.resolve('refund my order');
    };
    const { preview } = await previewing();
    const gone = new AbortController();
    const two = [preview(endless(), gone.signal), preview(endless(), gone.signal)];
    await expect(preview(INTENTS)).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterMs: 15_000 });
    gone.abort(new Error('gone'));
    for (const each of two) await expect(each).rejects.toThrow('gone');
    expect((await preview(INTENTS)).wouldChange.asked).toBe(INTENTS.length);
  });
});
