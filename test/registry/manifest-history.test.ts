import { describe, expect, test } from 'vitest';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';
import { type Document, loadedRegistry, manifestOf } from './registry-fixture.js';

const failure = (code: string, sentence = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(sentence) });

/** A manifest whose one capability asks for these fields. */
const asking = (version: number | undefined, fields: Record<string, string>): Document => ({
  agent_name: 'report',
  ...(version === undefined ? {} : { manifest_version: version }),
  capabilities: [
    {
      id: 'summary',
      name: 'Summary',
      input_schema: {
        properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
      },
    },
  ],
});

describe('what a publish breaks', () => {
  test('is told against the version that served until then', async () => {
    const { registry } = await loadedRegistry();
    const first = await registry.publish(asking(1, { week: 'string', day: 'string' }), 'api');
    expect(first.breaking).toEqual([]);
    const second = await registry.publish(asking(2, { week: 'string' }), 'api');
    expect(second.breaking).toEqual([
      {
        capabilityId: 'summary',
        kind: 'removed',
        pointer: '/input_schema/properties/day',
        sentence: 'The input field "day" is gone.',
      },
    ]);
    expect((await registry.publish(asking(2, { week: 'string' }), 'api')).breaking).toEqual([]);
    expect((await registry.publish(asking(3, { week: 'string', day: 'string' }), 'api')).breaking).toEqual(
      [],
    );
    await registry.remove('report', 'api');
    expect((await registry.publish(asking(4, {}), 'api')).breaking).toEqual([]);
  });

  test('is refused under strict compatibility with a pointer for each change, and nothing is stored', async () => {
    const { registry, store, follower } = await loadedRegistry(undefined, { strictCompat: true });
    await registry.publish(asking(1, { week: 'string', day: 'string' }), 'api');
    const { snapshot } = registry;
    const stored = await store.history('default', 'report', 10);
    await expect(registry.publish(asking(2, { week: 'number' }), 'api')).rejects.toMatchObject({
      code: 'MANIFEST_BREAKING',
      message:
        'This manifest of report would break callers of version 1. ' +
        'summary: The input field "day" is gone. summary: The input field "week" was string and is number.',
      errors: [
        {
          pointer: '/capabilities/0',
          expected: 'nothing that breaks callers of version 1',
          received: 'The input field "day" is gone.',
        },
        {
          pointer: '/capabilities/0/input_schema/properties/week',
          expected: 'nothing that breaks callers of version 1',
          received: 'The input field "week" was string and is number.',
        },
      ],
    });
    const other = { ...manifestOf('report', 2), capabilities: [{ id: 'other', name: 'Other' }] };
    await expect(registry.publish(other, 'folder')).rejects.toMatchObject({
      code: 'MANIFEST_BREAKING',
      errors: [{ pointer: '/capabilities' }],
    });
    expect(registry.snapshot).toBe(snapshot);
    expect(follower.prepared).toHaveLength(1);
    expect(await store.history('default', 'report', 10)).toEqual(stored);
    await registry.publish(asking(2, { week: 'string', day: 'string', hour: 'number' }), 'api');
    await registry.remove('report', 'api');
    await registry.publish(asking(3, {}), 'api');
  });
});

describe('the history', () => {
  test('is newest first, and outlives the agent and the process', async () => {
    const { registry, store } = await loadedRegistry();
    for (const version of [1, 2, 5])
      await registry.publish(manifestOf('report', version, `v${version}`), 'api');
    const versions = (await registry.history('report', 10)).map(
      ({ manifestVersion, catalogueVersion, current }) => [manifestVersion, catalogueVersion, current],
    );
    expect(versions).toEqual([
      [5, 3, true],
      [2, 2, false],
      [1, 1, false],
    ]);
    expect(await registry.history('report', 2)).toHaveLength(2);
    expect((await registry.version('report', 2)).document).toEqual(manifestOf('report', 2, 'v2'));
    await registry.remove('report', 'api');
    const { registry: later } = await loadedRegistry(store);
    expect((await later.history('report', 10)).map(({ current }) => current)).toEqual([false, false, false]);
  });

  test('of nobody, and a version that is not kept, are told so', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', 3), 'api');
    await expect(registry.history('reprot', 10)).rejects.toEqual(failure('AGENT_UNKNOWN', /mean report\?/));
    await expect(registry.version('reprot', 1)).rejects.toEqual(failure('AGENT_UNKNOWN'));
    await expect(registry.republish('reprot', 1, 'api')).rejects.toEqual(failure('AGENT_UNKNOWN'));
    const unknown = failure(
      'MANIFEST_VERSION_UNKNOWN',
      /^No version 2 of report is kept; the newest is 3\.$/,
    );
    await expect(registry.version('report', 2)).rejects.toEqual(unknown);
    await expect(registry.republish('report', 2, 'api')).rejects.toEqual(unknown);
    expect(registry.snapshot.version).toBe(1);
  });
});

describe('publishing a version again', () => {
  test('makes it the newest one, with its answer, and once more changes nothing', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(asking(1, { week: 'string' }), 'api');
    await registry.publish(asking(4, { week: 'string', day: 'string' }), 'api');
    const { agent, catalogueVersion, breaking } = await registry.republish('report', 1, 'api');
    expect(agent.manifest.manifestVersion).toBe(5);
    expect(agent.document).toEqual(asking(5, { week: 'string' }));
    expect(catalogueVersion).toBe(3);
    expect(breaking).toMatchObject([{ kind: 'removed', pointer: '/input_schema/properties/day' }]);
    expect(registry.agent('report')).toBe(agent);
    for (const version of [1, 5]) {
      expect(await registry.republish('report', version, 'api')).toEqual({
        agent,
        catalogueVersion: 3,
        breaking: [],
      });
    }
    expect((await registry.history('report', 10)).map(({ manifestVersion }) => manifestVersion)).toEqual([
      5, 4, 1,
    ]);
  });

  test('brings a removed agent back, also one that a folder had', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', undefined, 'one'), 'folder');
    await registry.publish(manifestOf('report', undefined, 'two'), 'folder');
    await registry.remove('report', 'folder');
    const { agent } = await registry.republish('report', 2, 'api');
    expect(agent).toMatchObject({ source: 'api', manifest: { manifestVersion: 3 } });
    expect(agent.document).toEqual(manifestOf('report', 3, 'two'));
  });

  test('is refused for an agent of the folder, and where it breaks callers under strict compatibility', async () => {
    const store = new MemoryCatalogueStore();
    const { registry } = await loadedRegistry(store);
    await registry.publish(asking(1, {}), 'folder');
    await registry.publish(asking(2, { week: 'string' }), 'folder');
    const managed = failure('MANIFEST_MANAGED_BY_FOLDER');
    await expect(registry.republish('report', 1, 'api')).rejects.toEqual(managed);
    await expect(registry.republish('report', 2, 'api')).rejects.toEqual(managed);
    const { registry: strict } = await loadedRegistry(store, { strictCompat: true, folderWatched: false });
    await expect(strict.republish('report', 1, 'api')).rejects.toEqual(failure('MANIFEST_BREAKING'));
    expect(strict.snapshot.version).toBe(2);
  });

  test('of one version by many at once makes one new version', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', 1, 'one'), 'api');
    await registry.publish(manifestOf('report', 2, 'two'), 'api');
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => registry.republish('report', 1, 'api')),
    );
    expect(new Set(answers.map(({ agent }) => agent.manifest.manifestVersion))).toEqual(new Set([3]));
    expect(await registry.history('report', 100)).toHaveLength(3);
  });

  test('cannot count past the last whole number', async () => {
    const { registry } = await loadedRegistry();
    await registry.publish(manifestOf('report', 1, 'one'), 'api');
    await registry.publish(manifestOf('report', Number.MAX_SAFE_INTEGER, 'two'), 'api');
    await expect(registry.republish('report', 1, 'api')).rejects.toEqual(failure('MANIFEST_INVALID'));
  });
});

test('where no folder is watched, the API changes what one has left', async () => {
  const store = new MemoryCatalogueStore();
  const { registry: before } = await loadedRegistry(store);
  for (const name of ['a', 'b', 'c']) await before.publish(manifestOf(name, undefined), 'folder');
  await before.publish(manifestOf('c', undefined, 'Other'), 'folder');
  const { registry } = await loadedRegistry(store, { folderWatched: false });
  const same = await registry.publish(manifestOf('a', 1), 'api');
  expect(same.agent).toMatchObject({ source: 'api', manifest: { manifestVersion: 1 } });
  await registry.publish(manifestOf('a', 2, 'Other'), 'api');
  await registry.remove('b', 'api');
  await registry.republish('c', 1, 'api');
  expect([...registry.snapshot.agents.values()].map(({ source }) => source)).toEqual(['api', 'api']);
  // The folder, watched again, takes its names back.
  const { registry: after } = await loadedRegistry(store);
  await after.publish(manifestOf('a', undefined), 'folder');
  expect(after.agent('a')).toMatchObject({ source: 'folder', manifest: { manifestVersion: 3 } });
});
