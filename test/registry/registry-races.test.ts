import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import { loadedRegistry, manifestOf } from './registry-fixture.js';

const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? 'published' : (outcome.reason as ReachError).code;

/** 0..count-1 in an order that looks random and is always the same. */
const shuffled = (count: number) => Array.from({ length: count }, (_, i) => (i * 7919 + 13) % count);

describe('200 publishes of one agent at once', () => {
  test('each gets its own right answer, and the highest version stays', async () => {
    const { registry, store, follower } = await loadedRegistry();
    const versions = shuffled(200).map((i) => i + 1);
    const outcomes = await Promise.allSettled(
      versions.map((version) => registry.publish(manifestOf('report', version, `v${version}`), 'api')),
    );
    let highest = 0;
    let published = 0;
    for (const [i, outcome] of outcomes.entries()) {
      const version = versions[i] ?? 0;
      expect(codeOf(outcome)).toBe(version > highest ? 'published' : 'MANIFEST_VERSION_STALE');
      if (version < highest) continue;
      highest = version;
      published += 1;
      expect(outcome).toMatchObject({
        value: { catalogueVersion: published, agent: { manifest: { manifestVersion: version } } },
      });
    }
    expect(registry.agent('report').document).toEqual(manifestOf('report', 200, 'v200'));
    const stored = await store.load('default');
    expect(stored).toMatchObject({ version: published, manifests: [{ manifestVersion: 200 }] });
    expect(follower.applied.map(({ snapshot }) => snapshot.version)).toEqual(
      Array.from({ length: published + 1 }, (_, i) => i),
    );
  });

  test('of one version with other contents exactly one wins', async () => {
    const { registry } = await loadedRegistry();
    const outcomes = await Promise.allSettled(
      shuffled(200).map((i) => registry.publish(manifestOf('report', 1, `content ${i}`), 'api')),
    );
    const codes = outcomes.map(codeOf);
    expect(codes.filter((code) => code === 'published')).toHaveLength(1);
    expect(codes.filter((code) => code === 'MANIFEST_VERSION_STALE')).toHaveLength(199);
  });

  test('of one document all succeed, and one changes the catalogue', async () => {
    const { registry } = await loadedRegistry();
    const outcomes = await Promise.all(
      shuffled(200).map(() => registry.publish(manifestOf('report', 1), 'api')),
    );
    expect(new Set(outcomes.map(({ catalogueVersion }) => catalogueVersion))).toEqual(new Set([1]));
  });

  test('publishes and removes of many agents leave store and snapshot the same', async () => {
    const stores = await openStores({ store: null, data: null });
    const { registry, follower } = await loadedRegistry(stores.catalogue);
    const work = shuffled(300).map((i) => {
      const name = `agent-${i % 7}`;
      if (i % 5 === 0) return registry.remove(name, 'folder');
      return registry.publish(manifestOf(name, undefined, `content ${i % 11}`), 'folder');
    });
    const codes = (await Promise.allSettled(work)).map(codeOf);
    expect(new Set(codes)).toEqual(new Set(['published', 'AGENT_UNKNOWN']));
    const { version, manifests } = await stores.catalogue.load('default');
    expect(version).toBe(registry.snapshot.version);
    expect(manifests.map(({ agentName, document }) => [agentName, document]).sort()).toEqual(
      [...registry.snapshot.agents].map(([name, { document }]) => [name, document]).sort(),
    );
    const followed = new Set<string>();
    for (const { changes } of follower.applied) {
      for (const { kind, agent } of changes) {
        if (kind === 'published') followed.add(agent.manifest.agentName);
        else expect(followed.delete(agent.manifest.agentName)).toBe(true);
      }
    }
    expect(followed).toEqual(new Set(registry.snapshot.agents.keys()));
  });
});

describe('a change counts whole or not at all', () => {
  test('a slow agent keeps no other one waiting, only its own next version', async () => {
    const { registry, follower } = await loadedRegistry();
    const gate = gateOf();
    follower.onPrepare = ([agent]) =>
      agent?.manifest.agentName === 'slow' ? gate.promise : Promise.resolve();
    const order: string[] = [];
    const slow = registry.publish(manifestOf('slow', 1), 'api').then(() => order.push('slow 1'));
    const next = registry.publish(manifestOf('slow', 2), 'api').then(() => order.push('slow 2'));
    await registry.publish(manifestOf('quick', 1), 'api').then(() => order.push('quick 1'));
    expect([...registry.snapshot.agents.keys()]).toEqual(['quick']);
    gate.resolve();
    await Promise.all([slow, next]);
    expect(order).toEqual(['quick 1', 'slow 1', 'slow 2']);
  });

  test('where a follower cannot prepare, nothing is stored', async () => {
    const { registry, store, follower } = await loadedRegistry();
    follower.onPrepare = () => Promise.reject(new ReachError('EMBEDDING_INTERRUPTED', 'gone'));
    await expect(registry.publish(manifestOf('report', 1), 'api')).rejects.toMatchObject({
      code: 'EMBEDDING_INTERRUPTED',
    });
    expect(await store.load('default')).toEqual({ version: 0, manifests: [] });
    expect(registry.snapshot.version).toBe(0);
    follower.onPrepare = async () => {};
    expect(await registry.publish(manifestOf('report', 1), 'api')).toMatchObject({ catalogueVersion: 1 });
  });

  test('where the store cannot save, nothing is applied', async () => {
    const store = new MemoryCatalogueStore();
    const { registry, follower } = await loadedRegistry(store);
    const { save } = store;
    store.save = () => Promise.reject(new ReachError('STORE_UNAVAILABLE', 'full'));
    await expect(registry.publish(manifestOf('report', 1), 'api')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(registry.snapshot.agents.size).toBe(0);
    expect(follower.applied).toHaveLength(1);
    store.save = save;
    await registry.publish(manifestOf('report', 1), 'api');
    expect(follower.applied).toHaveLength(2);
  });

  test('it is stored when the followers apply it, and they see the new snapshot as the current one', async () => {
    const { registry, store, follower } = await loadedRegistry();
    const seen: unknown[] = [];
    follower.onApply = (snapshot) => seen.push(snapshot === registry.snapshot, store.load('default'));
    await registry.publish(manifestOf('report', 1), 'api');
    await registry.remove('report', 'api');
    expect(await Promise.all(seen)).toMatchObject([
      true,
      { version: 1, manifests: [{ agentName: 'report' }] },
      true,
      { version: 2, manifests: [] },
    ]);
    const prepared = follower.prepared[0]?.[0];
    expect(follower.applied[1]?.changes[0]?.agent).toBe(prepared);
  });
});

function gateOf() {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
