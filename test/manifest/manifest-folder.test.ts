import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { FolderEvent } from '../../src/manifest/folder-event.js';
import { ManifestFolder } from '../../src/manifest/manifest-folder.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const WAIT = { timeout: 20_000, interval: 20 };

let path: string;
let folder: ManifestFolder;
let told: string[];
/** What the handler does before it is done; a test may refuse events here. */
let onEvent: (event: FolderEvent) => Promise<void>;

function spoken(event: FolderEvent): string {
  switch (event.kind) {
    case 'changed':
      return `changed ${event.file} ${JSON.stringify((event.document as { tag?: unknown }).tag)}`;
    case 'removed':
      return `removed ${event.file} ${event.agentName}`;
    case 'broken':
      return `broken ${event.file}`;
  }
}

const manifest = (agent: string, tag: string | number) => JSON.stringify({ agent_name: agent, tag });
const save = (file: string, content: string) => writeFile(join(path, file), content);

async function saveByRename(file: string, content: string): Promise<void> {
  await save(`.${file}.tmp`, content);
  await rename(join(path, `.${file}.tmp`), join(path, file));
}

/** Long enough for several looks at the folder. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 2_500));

async function start(): Promise<void> {
  told = (await folder.read()).map(spoken);
  folder.watch(async (event) => {
    told.push(spoken(event));
    await onEvent(event);
  });
}

beforeEach(async () => {
  path = await temporaryFolder();
  folder = new ManifestFolder(path);
  onEvent = async () => {};
});

afterEach(async () => {
  await folder.close();
});

describe('ManifestFolder', () => {
  it('reads what is there: manifests, broken files, nothing else', async () => {
    await save('b.json', manifest('b', 1));
    await save('a.yaml', 'agent_name: a\ntag: 2\n');
    await save('c.yml', 'agent_name: [');
    for (const other of ['notes.md', '.hidden.json', '#a.json', '~$a.json', 'a.json~', '.a.json.swp']) {
      await save(other, manifest('x', 9));
    }
    await mkdir(join(path, 'sub.json'));
    await mkdir(join(path, 'sub'));
    await writeFile(join(path, 'sub', 'd.json'), manifest('d', 1));
    await start();
    expect(told).toEqual(['changed a.yaml 2', 'changed b.json 1', 'broken c.yml']);
    expect(folder.status()).toMatchObject({ path, readable: true, broken: [{ file: 'c.yml' }] });
  });

  it('is refused where it is missing', async () => {
    const missing = new ManifestFolder(join(path, 'none'));
    await expect(missing.read()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await missing.close();
  });

  it('tells saves, atomic saves, new files and removals, each once', async () => {
    await save('a.json', manifest('a', 1));
    await start();
    await save('a.json', manifest('a', 2));
    await expect.poll(() => told, WAIT).toContain('changed a.json 2');
    await saveByRename('a.json', manifest('a', 3));
    await expect.poll(() => told, WAIT).toContain('changed a.json 3');
    await save('b.yaml', 'agent_name: b\ntag: 1\n');
    await expect.poll(() => told, WAIT).toContain('changed b.yaml 1');
    await rm(join(path, 'a.json'));
    await expect.poll(() => told, WAIT).toContain('removed a.json a');
    await quiet();
    expect(told).toEqual([
      'changed a.json 1',
      'changed a.json 2',
      'changed a.json 3',
      'changed b.yaml 1',
      'removed a.json a',
    ]);
  });

  it('tells nothing of a touch, and of a file that is replaced by itself', async () => {
    await save('a.json', manifest('a', 1));
    await start();
    await utimes(join(path, 'a.json'), new Date(), new Date(Date.now() - 60_000));
    await quiet();
    await rm(join(path, 'a.json'));
    await save('a.json', manifest('a', 1));
    await quiet();
    expect(told).toEqual(['changed a.json 1']);
  });

  it('waits for a file that is written in pieces', async () => {
    await start();
    const text = manifest('a', 'whole');
    await save('a.json', text.slice(0, 10));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await save('a.json', text);
    await expect.poll(() => told, WAIT).toEqual(['changed a.json "whole"']);
  });

  it('tells a broken file once for each content, until it is whole again', async () => {
    await save('a.json', manifest('a', 1));
    await start();
    await save('a.json', '{"agent_name": ');
    await expect.poll(() => told, WAIT).toEqual(['changed a.json 1', 'broken a.json']);
    expect(folder.status().broken[0]?.error.message).toContain('a.json:1: not JSON');
    await quiet();
    expect(told).toHaveLength(2);
    await save('a.json', manifest('a', 2));
    await expect.poll(() => told, WAIT).toEqual(['changed a.json 1', 'broken a.json', 'changed a.json 2']);
    expect(folder.status().broken).toEqual([]);
  });

  it('takes a refused document for broken, and the agent of before for serving', async () => {
    await save('a.json', manifest('a', 1));
    await start();
    onEvent = async ({ kind }) => {
      if (kind === 'changed') throw new ReachError('MANIFEST_INVALID', 'not this one');
    };
    await save('a.json', manifest('renamed', 2));
    await expect.poll(() => told, WAIT).toEqual(['changed a.json 1', 'changed a.json 2', 'broken a.json']);
    expect(folder.status().broken).toMatchObject([{ file: 'a.json', error: { message: 'not this one' } }]);
    await rm(join(path, 'a.json'));
    await expect.poll(() => told, WAIT).toContain('removed a.json a');
  });

  it('tells a document again that was refused for a reason that passes', async () => {
    await start();
    let refusals = 0;
    onEvent = async ({ kind }) => {
      if (kind !== 'changed' || refusals === 2) return;
      refusals += 1;
      throw new ReachError('EMBEDDING_INTERRUPTED', 'just now');
    };
    await save('a.json', manifest('a', 1));
    const changed = 'changed a.json 1';
    await expect.poll(() => told, WAIT).toEqual([changed, 'broken a.json', changed, changed]);
    expect(folder.status().broken).toEqual([]);
  });

  it('tells a new name in a file as a change and a removal', async () => {
    await save('a.json', manifest('old', 1));
    await start();
    await save('a.json', manifest('new', 2));
    await expect
      .poll(() => told, WAIT)
      .toEqual(['changed a.json 1', 'changed a.json 2', 'removed a.json old']);
  });

  it('lets the first of two files with the same agent speak for it', async () => {
    await save('b.json', manifest('twin', 'b'));
    await save('c.json', manifest('twin', 'c'));
    await start();
    expect(told).toEqual(['changed b.json "b"', 'broken c.json']);
    await save('a.json', manifest('twin', 'a'));
    await expect.poll(() => told.slice(2), WAIT).toEqual(['changed a.json "a"', 'broken b.json']);
    expect(folder.status().broken.map(({ file }) => file)).toEqual(['b.json', 'c.json']);
    await rm(join(path, 'a.json'));
    await expect.poll(() => told.slice(4), WAIT).toEqual(['changed b.json "b"']);
    await save('b.json', manifest('other', 'b2'));
    await expect.poll(() => told.slice(5), WAIT).toEqual(['changed b.json "b2"', 'changed c.json "c"']);
    await quiet();
    expect(told.filter((event) => event.startsWith('removed'))).toEqual([]);
    expect(folder.status().broken).toEqual([]);
  });

  it('moves an agent to another file without a moment in which it is gone', async () => {
    await save('a.json', manifest('a', 1));
    await start();
    await rename(join(path, 'a.json'), join(path, 'z.json'));
    await quiet();
    expect(told.filter((event) => event.startsWith('removed'))).toEqual([]);
    await save('z.json', manifest('a', 2));
    await expect.poll(() => told, WAIT).toContain('changed z.json 2');
  });

  it('says when the folder is gone, and goes on when it is back', async () => {
    await save('a.json', manifest('a', 1));
    await save('b.json', manifest('b', 1));
    await start();
    await rename(path, `${path}-away`);
    await expect.poll(() => folder.status().readable, WAIT).toBe(false);
    await quiet();
    expect(told.slice(2)).toEqual([`broken ${path}`]);
    // It comes back whole, and nothing is said of the order in which its files are looked at.
    await mkdir(`${path}-back`);
    await writeFile(join(`${path}-back`, 'a.json'), manifest('a', 2));
    await rename(`${path}-back`, path);
    await expect.poll(() => told.slice(3).toSorted(), WAIT).toEqual(['changed a.json 2', 'removed b.json b']);
    expect(folder.status().readable).toBe(true);
    await save('a.json', manifest('a', 3));
    await expect.poll(() => told, WAIT).toContain('changed a.json 3');
    await rm(`${path}-away`, { recursive: true });
  });

  it('tells one event at a time, and is closed only when the last one is done', async () => {
    await start();
    let atOnce = 0;
    let most = 0;
    onEvent = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 100));
      atOnce -= 1;
    };
    for (let index = 0; index < 8; index++) await save(`a${index}.json`, manifest(`a${index}`, index));
    await expect.poll(() => told.length, WAIT).toBeGreaterThan(2);
    await folder.close();
    expect([most, atOnce]).toEqual([1, 0]);
    const after = told.length;
    await save('late.json', manifest('late', 1));
    await quiet();
    expect(told).toHaveLength(after);
  });
});
