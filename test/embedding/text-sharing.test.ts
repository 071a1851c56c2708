import { afterEach, expect, onTestFinished, test } from 'vitest';
import { CachedEmbedder } from '../../src/embedding/cached-embedder.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { ReachError } from '../../src/errors.js';
import { RedisVectorStore } from '../../src/storage/redis/vector-store.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  ownRedis,
  replicaLink,
  replicaLinks,
} from '../support/redis.js';
import { until } from '../support/until.js';

const MODEL = { name: 'letters', hash: 'letters', dim: 2 };
const TEXTS = Array.from({ length: 600 }, (_, place) => `text ${place}`);
const vectorOf = (text: string) => new Float32Array([text.length, Number(text.slice(-1).charCodeAt(0))]);

/** All texts that reached a model of any replica. */
const embedded: string[] = [];
afterEach(() => {
  embedded.length = 0;
});

/** A model that takes a while for each batch; what it does meanwhile is up to the test. */
function model(during: () => Promise<unknown> = () => new Promise((done) => setTimeout(done, 20))): Embedder {
  return {
    model: MODEL,
    async embed(texts) {
      embedded.push(...texts);
      await during();
      return texts.map(vectorOf);
    },
    status: () => ({ state: 'ready', model: MODEL, restarts: 0, pending: 0 }),
    close: async () => {},
  };
}

function replica(store: RedisVectorStore, inner = model()) {
  const errors: unknown[] = [];
  const prefix = { query: '', passage: '' };
  const embedder = new CachedEmbedder(inner, { prefix, store, onStoreError: (error) => errors.push(error) });
  return { embedder, errors };
}

describeWithRedis('texts that several replicas need at once', () => {
  test('are embedded once, and all get the same vectors', async () => {
    const replicas = (await replicaLinks(3)).map((link) => replica(new RedisVectorStore(link)));
    const backwards = TEXTS.toReversed();
    const vectors = await Promise.all(
      replicas.map(({ embedder }, place) =>
        embedder.embed(place === 1 ? backwards : TEXTS, 'passage', { bulk: true }),
      ),
    );
    expect(vectors).toEqual([TEXTS.map(vectorOf), backwards.map(vectorOf), TEXTS.map(vectorOf)]);
    expect(embedded.toSorted()).toEqual(TEXTS.toSorted());
    expect(replicas.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('are taken over from a replica that died', async () => {
    const [dead, living] = await replicaLinks(2);
    if (dead === undefined || living === undefined) throw new Error('two links are needed');
    let died = () => {};
    const dying = new Promise<never>((_, reject) => {
      died = () => reject(new ReachError('EMBEDDING_INTERRUPTED', 'It died.'));
    });
    const one = replica(
      new RedisVectorStore(dead),
      model(() => dying),
    );
    const lost = one.embedder.embed(TEXTS.slice(0, 10), 'passage', { bulk: true });
    lost.catch(() => {});
    await until(() => embedded.length === 10);
    const other = replica(new RedisVectorStore(living));
    const waiting = other.embedder.embed(TEXTS.slice(0, 10), 'passage', { bulk: true });
    // What it has claimed is renewed for as long as it lives.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(embedded).toHaveLength(10);
    await dead.close();
    expect(await waiting).toEqual(TEXTS.slice(0, 10).map(vectorOf));
    expect(embedded).toHaveLength(20);
    died();
    await expect(lost).rejects.toMatchObject({ code: 'EMBEDDING_INTERRUPTED' });
  }, 60_000);

  test('are free at once when their model failed', async () => {
    const [one, other] = await replicaLinks(2);
    if (one === undefined || other === undefined) throw new Error('two links are needed');
    const failing = replica(
      new RedisVectorStore(one),
      model(() => Promise.reject(new ReachError('EMBEDDING_INTERRUPTED', 'It failed.'))),
    );
    await expect(failing.embedder.embed(['a'], 'passage', { bulk: true })).rejects.toMatchObject({
      code: 'EMBEDDING_INTERRUPTED',
    });
    expect(await one.ask((client) => client.keys(one.key('vectors', '*')))).toEqual([]);
    const { embedder } = replica(new RedisVectorStore(other));
    expect(await embedder.embed(['a'], 'passage', { bulk: true })).toEqual([vectorOf('a')]);
  });

  test('are not waited for any more by who gives up', async () => {
    const [one, other] = await replicaLinks(2);
    if (one === undefined || other === undefined) throw new Error('two links are needed');
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = replica(
      new RedisVectorStore(one),
      model(() => held),
    );
    const first = slow.embedder.embed(['a'], 'passage', { bulk: true });
    await until(() => embedded.length === 1);
    const stop = new AbortController();
    const { embedder } = replica(new RedisVectorStore(other));
    const second = embedder.embed(['a'], 'passage', { bulk: true, signal: stop.signal });
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    go();
    expect(await first).toEqual([vectorOf('a')]);
    expect(embedded).toEqual(['a']);
  });
});

describeWithRedisServer('while Redis is away', () => {
  test('each replica embeds for itself, and tells of the failure', async () => {
    const server = await ownRedis();
    const link = await replicaLink(server.url);
    const { embedder, errors } = replica(new RedisVectorStore(link));
    server.pause();
    onTestFinished(() => server.resume());
    expect(await embedder.embed(TEXTS, 'passage', { bulk: true })).toEqual(TEXTS.map(vectorOf));
    expect(embedded).toHaveLength(TEXTS.length);
    expect(errors[0]).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
