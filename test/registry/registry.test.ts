import { describe, expect, test, vi } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { capabilityIn } from '../../src/registry/catalogue-names.js';
import { Registry } from '../../src/registry/registry.js';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';
import { loadedRegistry, manifestOf, RULES } from './registry-fixture.js';

const failure = (code: string, sentence = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(sentence) });

describe('publishing', () => {
  test('makes a new snapshot in which the agent is found, and leaves the old one as it was', async () => {
    const { registry } = await loadedRegistry();
    const before = registry.snapshot;
    const { agent, catalogueVersion } = await registry.publish(manifestOf('report', 3), 'api');
    expect(catalogueVersion).toBe(1);
    expect(agent.manifest).toMatchObject({ agentName: 'report', manifestVersion: 3 });
    expect(agent.document).toEqual(manifestOf('report', 3));
    expect(agent.validators.check('summary', {}).missing).toEqual(['/week']);
    expect(registry.snapshot).toMatchObject({ version: 1 });
    expect(registry.agent('report')).toBe(agent);
    expect(before).toMatchObject({ version: 0, agents: new Map() });
    expect(Object.isFrozen(registry.snapshot) && Object.isFrozen(agent)).toBe(true);
  });

  test('the same once more is a success that changes nothing, whatever the order of its keys', async () => {
    const { registry, follower } = await loadedRegistry();
    const { agent } = await registry.publish(manifestOf('report', 1), 'api');
    const reordered = Object.fromEntries(Object.entries(manifestOf('report', 1)).reverse());
    expect(await registry.publish(reordered, 'api')).toEqual({ agent, catalogueVersion: 1, breaking: [] });
    expect(registry.agent('report')).toBe(agent);
    expect(follower.prepared).toHaveLength(1);
  });

  test('a higher version takes the place of the last one', async () => {
    const { registry, follower } = await loadedRegistry();
    const first = await registry.publish(manifestOf('report', 1), 'api');
    const second = await registry.publish(manifestOf('report', 2), 'api');
    expect(second.catalogueVersion).toBe(2);
    expect(registry.snapshot.agents.size).toBe(1);
    expect(follower.applied.at(-1)?.changes).toEqual([
      { kind: 'published', agent: second.agent, before: first.agent },
    ]);
  });

  test.each([
    ['a lower version', manifestOf('report', 4), /report is at version 5, and 4 is lower; .* version 6 or/],
    ['the same version with other content', manifestOf('report', 5, 'Other'), /already has a version 5 with/],
  ])('%s is stale', async (_, document, sentence) => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', 5), 'api');
    const { snapshot } = registry;
    await expect(registry.publish(document, 'api')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE', sentence),
    );
    expect(registry.snapshot).toBe(snapshot);
  });

  test('a caller of the API must name a version', async () => {
    const { registry } = await loadedRegistry();
    const missing = expect.objectContaining({
      code: 'MANIFEST_INVALID',
      errors: [expect.objectContaining({ pointer: '/manifest_version', received: 'nothing' })],
    });
    await expect(registry.publish(manifestOf('report', undefined), 'api')).rejects.toEqual(missing);
    await registry.publish(manifestOf('report', 1), 'api');
    await expect(registry.publish(manifestOf('report', undefined), 'api')).rejects.toEqual(missing);
  });

  test.each([
    null,
    undefined,
    42,
    'text',
    [],
    {},
    { agent_name: { toString: 'no function' } },
    { ...manifestOf('report', 1), agent_name: '__proto__' },
    { ...manifestOf('report', 1), capabilities: [] },
    { ...manifestOf('report', 1), manifest_version: Number.NaN },
    { ...manifestOf('report', 1), manifest_version: 2 ** 53 },
  ])('refuses %j as invalid and stays as it was', async (document) => {
    const { registry, store, follower } = await loadedRegistry();
    await expect(registry.publish(document, 'api')).rejects.toEqual(failure('MANIFEST_INVALID'));
    expect(registry.snapshot.version).toBe(0);
    expect(await store.load('default')).toEqual({ version: 0, manifests: [] });
    expect(follower.prepared).toEqual([]);
  });

  test('a document that its caller changes afterwards does not change the catalogue', async () => {
    const { registry } = await loadedRegistry();
    const document = manifestOf('report', 1);
    await registry.publish(document, 'api');
    document.capabilities = [];
    expect(registry.agent('report').document).toEqual(manifestOf('report', 1));
  });

  test('a batch is prepared together, and a refused document keeps no other out', async () => {
    const { registry, follower } = await loadedRegistry();
    await registry.publish(manifestOf('a', 1), 'folder');
    const outcomes = await registry.publishAll(
      [manifestOf('a', 1), { agent_name: 'broken' }, manifestOf('b', 1), manifestOf('c', undefined)],
      'folder',
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['published', 'refused', 'published', 'published']);
    expect(follower.prepared.map((agents) => agents.map(({ manifest }) => manifest.agentName))).toEqual([
      ['a'],
      ['b', 'c'],
    ]);
    expect([...registry.snapshot.agents.keys()]).toEqual(['a', 'b', 'c']);
  });

  test('what a follower cannot prepare keeps no other out of a batch', async () => {
    const { registry, follower } = await loadedRegistry();
    follower.onPrepare = async (agents) => {
      if (agents.some(({ manifest }) => manifest.agentName === 'b')) throw new Error('the model fails');
    };
    const batch = ['a', 'b', 'c'].map((name) => manifestOf(name, 1));
    expect(await registry.publishAll(batch, 'folder')).toEqual([
      expect.objectContaining({ kind: 'published' }),
      { kind: 'refused', error: failure('INTERNAL', /the model fails/) },
      expect.objectContaining({ kind: 'published' }),
    ]);
    expect([...registry.snapshot.agents.keys()]).toEqual(['a', 'c']);
  });

  test('a follower that is closed ends a batch at once', async () => {
    const { registry, follower } = await loadedRegistry();
    follower.onPrepare = async () => {
      throw new ReachError('CLOSED', 'The embedder is closed.');
    };
    const batch = [manifestOf('a', 1), manifestOf('b', 1)];
    await expect(registry.publishAll(batch, 'folder')).rejects.toEqual(failure('CLOSED'));
    expect(follower.prepared).toHaveLength(1);
  });
});

describe('a folder', () => {
  test('may leave the version out: each changed document is the next one', async () => {
    const { registry } = await loadedRegistry();
    const versionOf = async (name: string) =>
      (await registry.publish(manifestOf('report', undefined, name), 'folder')).agent.manifest
        .manifestVersion;
    expect(await versionOf('one')).toBe(1);
    expect(await versionOf('one')).toBe(1);
    expect(registry.snapshot.version).toBe(1);
    expect(await versionOf('two')).toBe(2);
    expect(await versionOf('one')).toBe(3);
    expect(registry.agent('report').document).toEqual(manifestOf('report', undefined, 'one'));
  });

  test('a version written beside the same content counts if it is not lower', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', undefined, 'one'), 'folder');
    await registry.publish(manifestOf('report', undefined, 'two'), 'folder');
    await registry.publish(manifestOf('report', 2, 'two'), 'folder');
    expect(registry.snapshot.version).toBe(2);
    await registry.publish(manifestOf('report', 7, 'two'), 'folder');
    expect(registry.agent('report').manifest.manifestVersion).toBe(7);
    await expect(registry.publish(manifestOf('report', 3, 'two'), 'folder')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE'),
    );
  });

  test('owns its names', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', 1), 'folder');
    const managed = failure('MANIFEST_MANAGED_BY_FOLDER', /watched folder/);
    await expect(registry.publish(manifestOf('report', 1), 'api')).rejects.toEqual(managed);
    await expect(registry.publish(manifestOf('report', 2), 'api')).rejects.toEqual(managed);
    await expect(registry.remove('report', 'api')).rejects.toEqual(managed);
    await registry.remove('report', 'folder');
    await registry.publish(manifestOf('report', 2), 'api');
    expect(registry.agent('report').source).toBe('api');
  });

  test('takes over an agent of the API, with the same content under the same version', async () => {
    const { registry, store } = await loadedRegistry();
    await registry.publish(manifestOf('report', 4), 'api');
    const { agent, catalogueVersion } = await registry.publish(manifestOf('report', undefined), 'folder');
    expect(agent).toMatchObject({ source: 'folder', manifest: { manifestVersion: 4 } });
    expect(catalogueVersion).toBe(2);
    expect((await store.load('default')).manifests).toMatchObject([{ source: 'folder', manifestVersion: 4 }]);
  });

  test('cannot count past the last whole number', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', Number.MAX_SAFE_INTEGER), 'folder');
    await expect(registry.publish(manifestOf('report', undefined, 'Other'), 'folder')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE', /none can be counted/),
    );
  });
});

describe('removing', () => {
  test('takes the agent out, and its versions are remembered', async () => {
    const { registry, follower } = await loadedRegistry();
    const { agent } = await registry.publish(manifestOf('report', 5), 'api');
    expect(await registry.remove('report', 'api')).toBe(2);
    expect(registry.snapshot).toMatchObject({ version: 2, agents: new Map() });
    expect(follower.applied.at(-1)?.changes).toEqual([{ kind: 'removed', agent }]);
    await expect(registry.publish(manifestOf('report', 4), 'api')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE', /is at version 5/),
    );
    await expect(registry.publish(manifestOf('report', 5, 'Other'), 'api')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE'),
    );
    expect(await registry.publish(manifestOf('report', 5), 'api')).toMatchObject({ catalogueVersion: 3 });
  });

  test('a file that comes back changed is the next version', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', undefined), 'folder');
    await registry.remove('report', 'folder');
    const { agent } = await registry.publish(manifestOf('report', undefined, 'Other'), 'folder');
    expect(agent.manifest.manifestVersion).toBe(2);
  });

  test('what is not there cannot be removed', async () => {
    const { registry } = await loadedRegistry();
    await expect(registry.remove('report', 'api')).rejects.toEqual(failure('AGENT_UNKNOWN'));
  });
});

describe('looking up', () => {
  test('names what was probably meant', async () => {
    const { registry } = await loadedRegistry();
    for (const name of ['report-agent', 'repair-agent', 'orders']) {
      await registry.publish(manifestOf(name, 1), 'api');
    }
    expect(() => registry.agent('reprot-agent')).toThrow(
      'no agent "reprot-agent". Did you mean report-agent?',
    );
    expect(() => registry.agent('repar-agent')).toThrow('Did you mean repair-agent or report-agent?');
    expect(() => registry.agent('x'.repeat(100_000))).toThrow(/^There is no agent "x{60}…"\.$/);
    expect(() => registry.agent('__proto__')).toThrow(ReachError);
    expect(capabilityIn(registry.snapshot, 'orders', 'summary').name).toBe('Weekly summary');
    expect(() => capabilityIn(registry.snapshot, 'order', 'summary')).toThrow(
      failure('AGENT_UNKNOWN', /mean orders\?/),
    );
    expect(() => capabilityIn(registry.snapshot, 'orders', 'sumary')).toThrow('Did you mean summary?');
    expect(() => capabilityIn(registry.snapshot, 'orders', 'pivot')).toThrow(
      failure('CAPABILITY_UNKNOWN', /orders has no capability "pivot"\. It has summary\./),
    );
  });
});

describe('restarting', () => {
  test('gives the same snapshot, prepared and applied in one go', async () => {
    const first = await loadedRegistry();
    await first.registry.publish(manifestOf('a', 2), 'api');
    await first.registry.publish(manifestOf('b', undefined, 'one'), 'folder');
    await first.registry.publish(manifestOf('b', undefined, 'two'), 'folder');
    await first.registry.publish(manifestOf('c', 1), 'api');
    await first.registry.remove('c', 'api');

    const second = await loadedRegistry(first.store);
    expect(second.registry.snapshot.version).toBe(5);
    const plain = ({ registry }: typeof first) =>
      [...registry.snapshot.agents].map(([name, { validators: _, ...rest }]) => [name, rest]);
    expect(plain(second)).toEqual(plain(first));
    expect(second.registry.agent('b').validators.check('summary', {}).missing).toEqual(['/week']);
    expect(second.follower.prepared).toHaveLength(1);
    expect(second.follower.applied).toHaveLength(1);
    const changed = second.follower.applied[0]?.changes.map(({ agent }) => agent);
    expect(changed).toEqual([second.registry.agent('a'), second.registry.agent('b')]);
  });

  test('refuses changes until the catalogue is there', async () => {
    const registry = new Registry({
      store: new MemoryCatalogueStore(),
      team: 'default',
      rules: RULES,
      report: () => {},
    });
    const notReady = failure('NOT_READY');
    await expect(registry.publish(manifestOf('a', 1), 'api')).rejects.toEqual(notReady);
    await expect(registry.remove('a', 'api')).rejects.toEqual(notReady);
    await registry.load();
    await registry.publish(manifestOf('a', 1), 'api');
  });

  test('can be tried again where a follower failed', async () => {
    const { store, registry: first } = await loadedRegistry();
    await first.publish(manifestOf('a', 1), 'api');
    const registry = new Registry({ store, team: 'default', rules: RULES, report: () => {} });
    const prepare = vi.fn(async () => {}).mockRejectedValueOnce(new ReachError('EMBEDDING_INTERRUPTED', 'x'));
    registry.follow({ prepare, apply: () => {} });
    await expect(registry.load()).rejects.toEqual(failure('EMBEDDING_INTERRUPTED'));
    await registry.load();
    expect(registry.snapshot.agents.size).toBe(1);
  });

  test('a stored manifest that can no longer be read is reported, and the others serve', async () => {
    const store = new MemoryCatalogueStore();
    const broken = { agent_name: 'broken', manifest_version: 3, capabilities: 'none' as never };
    await store.save(
      'default',
      { agentName: 'broken', manifestVersion: 3, source: 'api', document: broken },
      null,
    );
    const { registry: before } = await loadedRegistry(store);
    await before.publish(manifestOf('fine', 1), 'api');
    const { registry, reports } = await loadedRegistry(store);
    expect(reports).toEqual([
      expect.stringMatching(/^The stored manifest of broken cannot be read any more: /),
    ]);
    expect([...registry.snapshot.agents.keys()]).toEqual(['fine']);
    await expect(registry.publish(manifestOf('broken', 2), 'api')).rejects.toEqual(
      failure('MANIFEST_VERSION_STALE'),
    );
    await registry.publish(manifestOf('broken', 4), 'api');
    expect(registry.agent('broken').manifest.manifestVersion).toBe(4);
  });
});
