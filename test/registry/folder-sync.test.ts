import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { FolderSync } from '../../src/registry/folder-sync.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { type Document, type LoadedRegistry, loadedRegistry, manifestOf } from './registry-fixture.js';

async function folderOf(files: Record<string, Document | string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [file, content] of Object.entries(files)) await put(folder, file, content);
  return folder;
}

async function put(folder: string, file: string, content: Document | string): Promise<void> {
  await writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
}

async function synced(folder: string, given?: LoadedRegistry) {
  const loaded = given ?? (await loadedRegistry());
  const sync = new FolderSync(folder, loaded.registry, (message) => loaded.reports.push(message));
  onTestFinished(() => sync.close());
  await sync.start();
  const agents = () =>
    Object.fromEntries(
      [...loaded.registry.snapshot.agents].map(([name, { manifest }]) => [name, manifest.manifestVersion]),
    );
  return { ...loaded, sync, agents };
}

describe('at the start', () => {
  test('everything is published together, and what cannot be used is reported', async () => {
    const folder = await folderOf({
      'a.json': manifestOf('a', 4),
      'b.yaml': 'agent_name: b\ncapabilities:\n  - id: do\n    name: Do\n',
      'c.json': '{"agent_name": "c", ',
      'd.json': { agent_name: 'd', capabilities: [] },
    });
    const { agents, follower, reports, sync } = await synced(folder);
    expect(agents()).toEqual({ a: 4, b: 1 });
    expect(follower.prepared).toHaveLength(1);
    expect(reports).toEqual([
      expect.stringMatching(/^c\.json:1: /),
      expect.stringMatching(/^d\.json: .*\/capabilities/),
    ]);
    expect(sync.status()).toEqual({ state: 'degraded', detail: expect.stringMatching(/c\.json.*d\.json/) });
  });

  test('unchanged files change nothing, and the agent of a file that is gone is removed', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', undefined), 'b.json': manifestOf('b', 1) });
    const first = await synced(folder);
    await first.registry.publish(manifestOf('by-api', 1), 'api');
    await first.sync.close();
    await rm(join(folder, 'b.json'));
    const { agents, registry, follower, sync } = await synced(folder, await loadedRegistry(first.store));
    expect(agents()).toEqual({ a: 1, 'by-api': 1 });
    expect(registry.snapshot.version).toBe(4);
    expect(follower.prepared).toHaveLength(1);
    expect(sync.status()).toEqual({ state: 'ok', detail: `The manifests in ${folder} are all in use.` });
  });

  test('no agent is removed for want of a file while a file cannot be read, since it may be that one', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', 1), 'b.json': manifestOf('b', 1) });
    const first = await synced(folder);
    await first.sync.close();
    await put(folder, 'a.json', '{ broken');
    await put(folder, 'b.json', { ...manifestOf('b', 2), capabilities: [] });
    const { agents } = await synced(folder, await loadedRegistry(first.store));
    expect(agents()).toEqual({ a: 1, b: 1 });
    await put(folder, 'b.json', manifestOf('b', 2));
    await until(() => expect(agents()).toEqual({ a: 1, b: 2 }));
    await put(folder, 'a.json', manifestOf('other', 1));
    await until(() => expect(agents()).toEqual({ b: 2, other: 1 }));
  });

  test('what cannot be prepared is reported, keeps no other out, and is tried again where that may help', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', 1), 'b.json': manifestOf('b', 1) });
    const loaded = await loadedRegistry();
    let failures = 3;
    loaded.follower.onPrepare = async (agents) => {
      const isFaulty = agents.some(({ manifest }) => manifest.agentName === 'a');
      if (isFaulty && failures-- > 0) throw new ReachError('EMBEDDING_INTERRUPTED', 'The process ended.');
    };
    const { agents, reports } = await synced(folder, loaded);
    expect(agents()).toEqual({ b: 1 });
    expect(reports).toEqual([expect.stringMatching(/^a\.json: The process ended/)]);
    await until(() => expect(agents()).toEqual({ a: 1, b: 1 }));
  });

  test('a folder that cannot be read is one sentence', async () => {
    const { registry } = await loadedRegistry();
    const sync = new FolderSync('/no/such/folder', registry, () => {});
    onTestFinished(() => sync.close());
    await expect(sync.start()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('/no/such/folder'),
    });
  });
});

describe('afterwards', () => {
  test('a saved file is published, a broken one keeps the old version, a deleted one removes its agent', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', undefined, 'one') });
    const { agents, registry, reports, sync } = await synced(folder);
    await put(folder, 'a.json', manifestOf('a', undefined, 'two'));
    await until(() => expect(agents()).toEqual({ a: 2 }));
    await put(folder, 'b.json', manifestOf('b', 1));
    await until(() => expect(agents()).toEqual({ a: 2, b: 1 }));
    await put(folder, 'a.json', 'not json');
    await until(() => expect(reports).toEqual([expect.stringMatching(/^a\.json:1: not JSON/)]));
    expect(agents()).toEqual({ a: 2, b: 1 });
    expect(sync.status().state).toBe('degraded');
    await put(folder, 'a.json', manifestOf('a', 1, 'older'));
    await until(() => expect(reports[1]).toMatch(/^a\.json: a is at version 2, and 1 is lower/));
    await rm(join(folder, 'b.json'));
    await until(() => expect(agents()).toEqual({ a: 2 }));
    await expect(registry.publish(manifestOf('a', 3), 'api')).rejects.toMatchObject({
      code: 'MANIFEST_MANAGED_BY_FOLDER',
    });
    await rm(join(folder, 'a.json'));
    await until(() => expect(agents()).toEqual({}));
    await until(() => expect(sync.status().state).toBe('ok'));
  });

  test('a file that breaks callers under strict compatibility is a broken one: the old version serves', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', undefined) });
    const strict = { strictCompat: true };
    const { agents, reports, sync, store } = await synced(folder, await loadedRegistry(undefined, strict));
    const gone = { ...manifestOf('a', undefined), capabilities: [{ id: 'other', name: 'Other' }] };
    await put(folder, 'a.json', gone);
    const sentence =
      /^a\.json: .*would break callers of version 1\. summary: The capability "summary" is gone\./;
    await until(() => expect(reports).toEqual([expect.stringMatching(sentence)]));
    expect(agents()).toEqual({ a: 1 });
    expect(sync.status()).toEqual({ state: 'degraded', detail: expect.stringContaining('would break') });
    await sync.close();

    const restarted = await synced(folder, await loadedRegistry(store, strict));
    expect(restarted.agents()).toEqual({ a: 1 });
    expect(restarted.reports).toEqual([expect.stringMatching(sentence)]);
    await put(folder, 'a.json', manifestOf('a', undefined, 'Another name'));
    await until(() => expect(restarted.agents()).toEqual({ a: 2 }));
    await until(() => expect(restarted.sync.status().state).toBe('ok'));
  });

  test('a file that names another agent, or gets another name itself, leaves nothing behind', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', 1) });
    const { agents } = await synced(folder);
    await put(folder, 'a.json', manifestOf('b', 1));
    await until(() => expect(agents()).toEqual({ b: 1 }));
    await rename(join(folder, 'a.json'), join(folder, 'z.json'));
    await put(folder, 'c.json', manifestOf('c', 1));
    await until(() => expect(agents()).toEqual({ b: 1, c: 1 }));
  });

  test('what failed for a reason that passes is tried again', async () => {
    const folder = await folderOf({ 'a.json': manifestOf('a', 1) });
    const { agents, follower, reports } = await synced(folder);
    let failures = 2;
    follower.onPrepare = async () => {
      if (failures-- > 0) throw new ReachError('EMBEDDING_INTERRUPTED', 'The process ended.');
    };
    await put(folder, 'a.json', manifestOf('a', 2));
    await until(() => expect(agents()).toEqual({ a: 2 }));
    expect(reports).toHaveLength(1);
  });
});
