import { beforeAll, describe, expect, test, vi } from 'vitest';
import { CachedEmbedder, type CachedEmbedderOptions } from '../../src/embedding/cached-embedder.js';
import type { Embedder, VectorStore } from '../../src/embedding/embedder.js';
import { sharedEmbedder } from '../support/shared-embedder.js';
import { bits } from './bits.js';

let real: Embedder;
beforeAll(async () => {
  real = await sharedEmbedder();
});

/** The real embedder, with a record of the texts that reached it. */
function recorded() {
  const asked: string[] = [];
  const inner: Embedder = {
    model: real.model,
    embed(texts, kind, options) {
      asked.push(...texts);
      return real.embed(texts, kind, options);
    },
    status: () => real.status(),
    close: async () => {},
  };
  return { inner, asked };
}

function memoryStore() {
  const vectors = new Map<string, Float32Array>();
  const store: VectorStore = {
    async getMany(modelHash, hashes) {
      const found = hashes.map((hash) => [hash, vectors.get(`${modelHash}/${hash}`)] as const);
      return new Map(found.flatMap(([hash, vector]) => (vector === undefined ? [] : [[hash, vector]])));
    },
    async putMany(modelHash, added) {
      for (const [hash, vector] of added) vectors.set(`${modelHash}/${hash}`, vector);
    },
  };
  return { store, vectors };
}

function cachedEmbedder(options: Partial<CachedEmbedderOptions> = {}) {
  const { inner, asked } = recorded();
  const { store, vectors } = memoryStore();
  const onStoreError = vi.fn();
  const prefix = { query: 'query: ', passage: 'query: ' };
  const cached = new CachedEmbedder(inner, { prefix, store, onStoreError, ...options });
  return { cached, inner, asked, vectors, onStoreError };
}

const bulk = { bulk: true };

describe('no text is computed twice', () => {
  test('one after the other, with the same bits', async () => {
    const { cached, asked } = cachedEmbedder();
    const [first] = await cached.embed(['pivot sales'], 'query');
    const before = bits(first ?? new Float32Array());
    first?.fill(0);
    const [second] = await cached.embed(['pivot sales'], 'passage');
    expect(bits(second ?? new Float32Array())).toBe(before);
    expect(asked).toEqual(['pivot sales']);
  });

  test('nor at once, nor in one call', async () => {
    const { cached, asked } = cachedEmbedder();
    const all = await Promise.all([
      cached.embed(['a', 'b', 'a'], 'query'),
      cached.embed(['b', 'c'], 'query'),
      cached.embed(['c'], 'query', bulk),
    ]);
    expect(asked).toEqual(['a', 'b', 'c']);
    const [a, b, again] = all[0].map(bits);
    expect(again).toBe(a);
    expect(all[1].map(bits)[0]).toBe(b);
    expect(all[2].map(bits)[0]).toBe(all[1].map(bits)[1]);
  });

  test('but another prefix is another text', async () => {
    const { cached, asked } = cachedEmbedder({ prefix: { query: 'query: ', passage: 'passage: ' } });
    await cached.embed(['a'], 'query');
    await cached.embed(['a'], 'passage');
    expect(asked).toEqual(['a', 'a']);
  });

  test('an urgent text does not wait for a bulk one', async () => {
    const { cached, asked } = cachedEmbedder();
    const order: string[] = [];
    const slow = cached.embed(['a', 'report '.repeat(5_000)], 'query', bulk).then(() => order.push('bulk'));
    const quick = cached.embed(['a'], 'query').then(() => order.push('urgent'));
    await Promise.all([slow, quick]);
    expect(order).toEqual(['urgent', 'bulk']);
    expect(asked.filter((text) => text === 'a')).toHaveLength(2);
  });
});

describe("callers' words that nobody waits for", () => {
  test('are neither read from the store nor kept there, and wait behind the others', async () => {
    const { cached, asked, vectors, inner } = cachedEmbedder();
    const lines: unknown[] = [];
    const embed = inner.embed;
    inner.embed = (texts, kind, options) => {
      lines.push(options?.bulk);
      return embed(texts, kind, options);
    };
    await cached.embed(['a'], 'query', { bulk: true, keep: false });
    await cached.embed(['a'], 'query', { bulk: true, keep: false });
    await cached.embed(['a'], 'query');
    expect({ asked, lines, stored: vectors.size }).toEqual({ asked: ['a'], lines: [true], stored: 0 });
  });
});

describe('memory', () => {
  test('holds as many vectors as it may, the newest used', async () => {
    const { cached, asked } = cachedEmbedder({ capacity: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text], 'query');
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  test('is not filled by bulk texts', async () => {
    const { cached, asked } = cachedEmbedder({ capacity: 2 });
    await cached.embed(['a', 'b'], 'query');
    await cached.embed(['1', '2', '3'], 'passage', bulk);
    await cached.embed(['a', 'b'], 'query');
    expect(asked).toEqual(['a', 'b', '1', '2', '3']);
  });
});

describe('the store', () => {
  const texts = Array.from({ length: 300 }, (_, index) => `capability ${index}`);

  test('lets a second start compute nothing, with the same bits', async () => {
    const { store } = memoryStore();
    const before = cachedEmbedder({ store });
    const computed = await before.cached.embed(texts, 'passage', bulk);
    const after = cachedEmbedder({ store });
    const stored = await after.cached.embed(texts, 'passage', bulk);
    expect(before.asked).toEqual(texts);
    expect(after.asked).toEqual([]);
    expect(stored.map(bits)).toEqual(computed.map(bits));
  });

  test("is not for callers' words", async () => {
    const { cached, vectors } = cachedEmbedder();
    await cached.embed(['a'], 'query');
    expect(vectors.size).toBe(0);
    await cached.embed(['b'], 'query', bulk);
    expect(vectors.size).toBe(1);
  });

  test('may hold nonsense, which is computed anew and replaced', async () => {
    const { store, vectors } = memoryStore();
    const before = cachedEmbedder({ store });
    const right = (await before.cached.embed(['a', 'b', 'c'], 'passage', bulk)).map(bits);
    const [first = '', second = ''] = vectors.keys();
    vectors.set(first, new Float32Array(383));
    vectors.set(second, new Float32Array(384).fill(Number.NaN));
    const after = cachedEmbedder({ store });
    expect((await after.cached.embed(['a', 'b', 'c'], 'passage', bulk)).map(bits)).toEqual(right);
    expect(after.asked).toEqual(['a', 'b']);
    expect([...vectors.values()].map(bits).toSorted()).toEqual(right.toSorted());
  });

  test('may fail: that is reported, and costs no vector', async () => {
    const store: VectorStore = {
      getMany: () => Promise.reject(new Error('cannot read')),
      putMany: () => Promise.reject(new Error('cannot write')),
    };
    const { cached, onStoreError } = cachedEmbedder({ store });
    expect(await cached.embed(['a'], 'passage', bulk)).toHaveLength(1);
    expect(onStoreError.mock.calls.flat().map(String)).toEqual(['Error: cannot read', 'Error: cannot write']);
  });
});

describe('a caller that leaves', () => {
  test('does not take the text from another that waits for it', async () => {
    const { cached, asked } = cachedEmbedder();
    const leaving = new AbortController();
    const left = cached.embed(['a'], 'query', { signal: leaving.signal });
    const stays = cached.embed(['a'], 'query', { signal: new AbortController().signal });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await stays).toHaveLength(1);
    expect(asked).toEqual(['a']);
  });

  test('as the last one takes the waiting text out of the line, and the next caller gets it anew', async () => {
    const { cached, inner, asked } = cachedEmbedder();
    const signals: AbortSignal[] = [];
    const embed = inner.embed;
    inner.embed = (texts, kind, options) => {
      if (options?.signal) signals.push(options.signal);
      return embed.call(inner, texts, kind, options);
    };
    const leaving = new AbortController();
    const left = cached.embed(['a'], 'query', { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(await cached.embed(['a'], 'query')).toHaveLength(1);
    expect(asked).toEqual(['a', 'a']);
    await expect(cached.embed(['a'], 'query', { signal: leaving.signal })).rejects.toThrow('gone');
  });
});

test('a failure reaches all who wait, and is not kept', async () => {
  const { cached, inner } = cachedEmbedder();
  const embed = inner.embed;
  inner.embed = () => Promise.reject(new Error('interrupted'));
  const outcomes = await Promise.allSettled([
    cached.embed(['a'], 'query'),
    cached.embed(['a', 'b'], 'query'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  inner.embed = embed;
  expect(await cached.embed(['a', 'b'], 'query')).toHaveLength(2);
});

test('after close() nothing is answered, not even from memory', async () => {
  const { cached } = cachedEmbedder();
  await cached.embed(['a'], 'query');
  await cached.close();
  await expect(cached.embed(['a'], 'query')).rejects.toMatchObject({ code: 'CLOSED' });
});
