import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StoredManifest } from '../../src/registry/catalogue.js';
import { openStores } from '../../src/storage/open-stores.js';
import { RECORD_MIGRATIONS } from '../../src/storage/sqlite/record-schema.js';
import { MIGRATIONS } from '../../src/storage/sqlite/schema.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { SqliteVectorStore } from '../../src/storage/sqlite/vector-store.js';
import type { Stores } from '../../src/storage/stores.js';
import { label } from '../labels/labels.js';
import { record, shadowOf } from '../record/records.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const FILE = 'agent-reach.db';

const manifest = (agentName: string, manifestVersion: number): StoredManifest => ({
  agentName,
  manifestVersion,
  source: 'api',
  document: { agent_name: agentName, capabilities: [{ id: 'do', name: 'Do' }] },
});

const unavailable = (sentence: RegExp) =>
  expect.objectContaining({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(sentence) });

async function opened(folder: string): Promise<Stores> {
  const stores = await openStores({ store: null, data: folder });
  onTestFinished(() => stores.close());
  return stores;
}

/** Another process that opens the store; resolves with the line that it prints. */
async function otherProcess(folder: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'store-holder.mjs'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = await once(child.stdout, 'data');
  return { child, line: String(line).trim() };
}

describe('a store in a folder', () => {
  test('makes the folder and is all there when it is opened again', async () => {
    const folder = join(await temporaryFolder(), 'new', 'a b?c#d%20 周报');
    const first = await openStores({ store: null, data: folder });
    await first.catalogue.save('default', manifest('a', 1), null);
    await first.catalogue.save('default', manifest('a', 2), 1);
    await first.catalogue.save('default', manifest('b', 1), null);
    await first.catalogue.remove('default', 'b', 1);
    await first.vectors.putMany('m', new Map([['t', new Float32Array([1, 2])]]));
    await first.close();

    const second = await opened(folder);
    expect(await second.catalogue.load('default')).toEqual({ version: 4, manifests: [manifest('a', 2)] });
    expect(await second.catalogue.newest('default', 'b')).toEqual({
      manifest: manifest('b', 1),
      removed: true,
    });
    expect((await second.vectors.getMany('m', ['t'])).get('t')).toEqual(new Float32Array([1, 2]));
    expect(second.status()).toEqual({ state: 'ok', detail: `Kept in ${folder}.` });
  });

  test('keeps the older versions of a manifest', async () => {
    const folder = await temporaryFolder();
    const stores = await openStores({ store: null, data: folder });
    await stores.catalogue.save('default', manifest('a', 1), null);
    await stores.catalogue.save('default', manifest('a', 2), 1);
    await stores.close();
    const db = new DatabaseSync(join(folder, FILE));
    const rows = db.prepare('SELECT manifest_version, published_at_ms FROM manifests').all();
    db.close();
    expect(rows).toMatchObject([{ manifest_version: 1 }, { manifest_version: 2 }]);
    for (const row of rows) expect(Math.abs(row.published_at_ms - Date.now())).toBeLessThan(3_600_000);
  });

  test('of the first version is brought up to date, with what it holds', async () => {
    const folder = await temporaryFolder();
    const db = new DatabaseSync(join(folder, FILE));
    db.exec(MIGRATIONS[0] ?? '');
    db.exec(`PRAGMA application_id = ${0x52_65_61_63}; PRAGMA user_version = 1`);
    db.exec(`
      INSERT INTO catalogues VALUES ('default', 2);
      INSERT INTO manifests VALUES
        ('default', 'a', 1, 'api', '{}', 1767225600000), ('default', 'a', 2, 'folder', '{}', 1767225600001);
      INSERT INTO current_manifests VALUES ('default', 'a', 2);
    `);
    db.close();
    const { catalogue } = await opened(folder);
    expect(await catalogue.history('default', 'a', 10)).toEqual([
      {
        manifestVersion: 2,
        source: 'folder',
        publishedAtMs: 1_767_225_600_001,
        catalogueVersion: null,
        current: true,
      },
      {
        manifestVersion: 1,
        source: 'api',
        publishedAtMs: 1_767_225_600_000,
        catalogueVersion: null,
        current: false,
      },
    ]);
    await catalogue.save('default', manifest('a', 3), 2);
    expect(await catalogue.history('default', 'a', 1)).toMatchObject([
      { catalogueVersion: 3, current: true },
    ]);
  });

  test('of records of the first version keeps its decisions, and takes shadows for them', async () => {
    const folder = await temporaryFolder();
    const { reported: _, shadow: __, ...document } = record(1);
    const db = new DatabaseSync(join(folder, 'records.db'));
    db.exec(RECORD_MIGRATIONS[0] ?? '');
    db.exec(`PRAGMA application_id = ${0x52_65_61_63}; PRAGMA user_version = 1`);
    db.prepare(`
      INSERT INTO decisions (team, route_id, at_ms, target_agent, document) VALUES ('t', ?, ?, 'report-agent', ?)`).run(
      document.routeId,
      document.atMs,
      JSON.stringify(document),
    );
    db.close();
    const { records } = await opened(folder);
    expect(await records.find('t', document.routeId)).toEqual(record(1));
    const shadow = shadowOf(record(1), { targetAgent: 'other-agent' });
    expect(await records.keepShadow('t', document.routeId, shadow)).toBe(true);
    const query = { fromMs: 0, before: undefined, limit: 10 };
    expect(await records.differing('t', query)).toEqual([record(1, { shadow })]);
    while (await records.prune('t', document.atMs + 1));
    await records.append('t', [record(2)]);
    // It has the place of the one that is gone.
    expect(await records.find('t', record(2).routeId)).toEqual(record(2));
  });

  test('is refused with CLOSED after close, which may be called twice', async () => {
    const stores = await openStores({ store: null, data: await temporaryFolder() });
    await stores.close();
    await stores.close();
    const closed = expect.objectContaining({ code: 'CLOSED' });
    await expect(stores.catalogue.load('default')).rejects.toEqual(closed);
    await expect(stores.catalogue.save('default', manifest('a', 1), null)).rejects.toEqual(closed);
    await expect(stores.vectors.putMany('m', new Map())).rejects.toEqual(closed);
  });

  test('says in one sentence why a folder cannot be used', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(openStores({ store: null, data: join(folder, 'file', 'data') })).rejects.toEqual(
      unavailable(/cannot be made.*file/),
    );
    await mkdir(join(folder, FILE));
    await expect(openStores({ store: null, data: folder })).rejects.toEqual(
      unavailable(/cannot be used: .*unable to open/),
    );
  });
});

describe('one process a file', () => {
  test('a second process is told which one has it', async () => {
    const folder = await temporaryFolder();
    await opened(folder);
    const { line } = await otherProcess(folder);
    expect(line).toMatch(
      new RegExp(`^STORE_UNAVAILABLE: .*${FILE} is in use by process ${process.pid}, which started at 20`),
    );
  });

  test('the same process cannot open it twice either', async () => {
    const folder = await temporaryFolder();
    const stores = await opened(folder);
    await expect(openStores({ store: null, data: folder })).rejects.toEqual(unavailable(/in use by process/));
    expect(await stores.catalogue.save('default', manifest('a', 1), null)).toBe(1);
    expect((await otherProcess(folder)).line).toMatch(/in use by process/);
  });

  test('it is free again when the process that had it was killed', async () => {
    const folder = await temporaryFolder();
    const { child, line } = await otherProcess(folder);
    expect(line).toBe('open');
    await expect(openStores({ store: null, data: folder })).rejects.toEqual(
      unavailable(new RegExp(`in use by process ${child.pid},`)),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    const stores = await opened(folder);
    expect(await readFile(join(folder, `${FILE}.owner`), 'utf8')).toContain(`"pid":${process.pid}`);
    expect(await stores.catalogue.save('default', manifest('a', 1), null)).toBe(1);
  });

  test('it is free again when the process that had it closed it', async () => {
    const folder = await temporaryFolder();
    const { child } = await otherProcess(folder);
    child.stdin?.end();
    await once(child, 'exit');
    await expect(stat(join(folder, `${FILE}.owner`))).rejects.toMatchObject({ code: 'ENOENT' });
    await opened(folder);
  });

  test('a note about the owner that cannot be read does no harm', async () => {
    const folder = await temporaryFolder();
    await opened(folder);
    await writeFile(join(folder, `${FILE}.owner`), 'x');
    await expect(openStores({ store: null, data: folder })).rejects.toEqual(
      unavailable(/in use by another process/),
    );
  });
});

describe('a file that is not ours to use', () => {
  /** The refusal of a file, which must be the same bytes afterwards. */
  async function refusal(folder: string): Promise<unknown> {
    const before = await readFile(join(folder, FILE));
    const thrown = await openStores({ store: null, data: folder }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(before.equals(await readFile(join(folder, FILE)))).toBe(true);
    return thrown;
  }

  test('text', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, FILE), 'no database, but long enough to look like one. '.repeat(50));
    expect(await refusal(folder)).toEqual(unavailable(/is damaged or not a store.*move it away/));
  });

  test.each(['DELETE', 'WAL'])("another program's database, its journal in mode %s", async (mode) => {
    const folder = await temporaryFolder();
    const db = new DatabaseSync(join(folder, FILE));
    db.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE notes (text TEXT)`);
    db.close();
    expect(await refusal(folder)).toEqual(unavailable(/belongs to another program/));
  });

  test('a file of a newer version', async () => {
    const folder = await temporaryFolder();
    await (await openStores({ store: null, data: folder })).close();
    const db = new DatabaseSync(join(folder, FILE));
    db.exec('PRAGMA user_version = 999');
    db.close();
    expect(await refusal(folder)).toEqual(unavailable(/newer Agent-Reach .*version 999, and this one knows/));
  });

  test('a store that was cut off', async () => {
    const folder = await temporaryFolder();
    await (await openStores({ store: null, data: folder })).close();
    await truncate(join(folder, FILE), 5_000);
    expect(await refusal(folder)).toEqual(unavailable(/is damaged/));
  });

  test('an empty file becomes a store', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, FILE), '');
    expect((await (await opened(folder)).catalogue.load('default')).version).toBe(0);
  });

  test('a label that is no JSON any more is told by the call that meets it', async () => {
    const folder = await temporaryFolder();
    const first = await openStores({ store: null, data: folder });
    await first.labels.add('default', [label(1)]);
    await first.close();
    const db = new DatabaseSync(join(folder, 'labels.db'));
    db.exec("UPDATE labels SET document = '{cut'");
    db.close();
    const stores = await openStores({ store: null, data: folder });
    onTestFinished(() => stores.close());
    const all = { source: undefined, fromMs: 0, after: undefined, limit: 10 };
    await expect(stores.labels.page('default', all)).rejects.toEqual(
      unavailable(/labels.db is damaged.*a label is no JSON/),
    );
  });

  test('a page that was overwritten is told by the call that meets it, and by the status', async () => {
    const folder = await temporaryFolder();
    const first = await openStores({ store: null, data: folder });
    for (let version = 1; version <= 50; version++) {
      await first.catalogue.save('default', manifest('a', version), version === 1 ? null : version - 1);
    }
    await first.close();
    const path = join(folder, FILE);
    const { size } = await stat(path);
    const handle = await open(path, 'r+');
    await handle.write(Buffer.alloc(size - 4_096, 0x5a), 0, size - 4_096, 4_096);
    await handle.close();
    const broken = await openStores({ store: null, data: folder })
      .then(
        (stores) => stores.catalogue.load('default').finally(() => stores.close()),
        (error: unknown) => Promise.reject(error),
      )
      .catch((error: unknown) => error);
    expect(broken).toEqual(unavailable(/is damaged/));
  });
});

test('a full disk is an error of that write only, and nothing of it is stored', async () => {
  const folder = await temporaryFolder();
  const file = SqliteFile.open(join(folder, FILE));
  onTestFinished(() => file.close());
  const store = new SqliteVectorStore(file);
  await store.putMany('m', new Map([['kept', new Float32Array(8)]]));
  file.prepare('PRAGMA max_page_count = 20').get();
  const many = new Map(Array.from({ length: 100 }, (_, i) => [`t${i}`, new Float32Array(1_000)] as const));
  await expect(store.putMany('m', many)).rejects.toEqual(unavailable(/^The disk that holds .* is full/));
  expect(file.fault).toMatch(/full/);
  expect((await store.getMany('m', ['kept', 't0'])).size).toBe(1);
  file.prepare('PRAGMA max_page_count = 100000').get();
  await store.putMany('m', many);
  expect(file.fault).toBeUndefined();
  expect((await store.getMany('m', [...many.keys()])).size).toBe(100);
});
