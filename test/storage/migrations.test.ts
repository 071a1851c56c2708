import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { DATA_FILES, type DataFile } from '../../src/storage/sqlite/data-files.js';
import { migrateFolder, migrationsOf } from '../../src/storage/sqlite/folder-migration.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Makes a file as an Agent-Reach left it that knew only the first steps. */
function fileOfVersion(folder: string, file: DataFile, version: number, sql = ''): string {
  const { fileName, migrations } = DATA_FILES[file];
  const path = join(folder, fileName);
  const opened = SqliteFile.open(path, migrations.slice(0, version));
  opened.close();
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return path;
}

const CATALOGUE = `
  INSERT INTO catalogues VALUES ('default', 1);
  INSERT INTO manifests VALUES ('default', 'a', 1, 'api', '{}', 1767225600000);
  INSERT INTO current_manifests VALUES ('default', 'a', 1);
`;

const backups = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.includes('backup')).sort();

describe('files of an older schema', () => {
  test('are copied beside before the first step, and the copy is a store of the older version', async () => {
    const folder = await temporaryFolder();
    fileOfVersion(folder, 'store', 1, CATALOGUE);
    fileOfVersion(folder, 'records', 1, "INSERT INTO salts VALUES ('default', 'salt')");
    const stores = await openStores({ store: null, data: folder });
    onTestFinished(() => stores.close());
    expect((await stores.catalogue.load('default')).manifests).toMatchObject([{ agentName: 'a' }]);
    expect(await stores.records.salt('default')).toBe('salt');
    expect(await backups(folder)).toEqual(['agent-reach.db.v1.backup', 'records.db.v1.backup']);
    const copy = join(folder, 'agent-reach.db.v1.backup');
    expect(SqliteFile.versionOf(copy, DATA_FILES.store.migrations)).toBe(1);
    const back = SqliteFile.open(copy, DATA_FILES.store.migrations.slice(0, 1));
    onTestFinished(() => back.close());
    expect(back.read(() => back.prepare('SELECT agent_name FROM manifests').all())).toEqual([
      { agent_name: 'a' },
    ]);
  });

  test('leave the newest two copies', async () => {
    const folder = await temporaryFolder();
    const { migrations } = DATA_FILES.store;
    const path = fileOfVersion(folder, 'store', 1);
    for (let version = 2; version <= migrations.length; version += 1)
      SqliteFile.open(path, migrations.slice(0, version)).close();
    const newest = migrations.length - 1;
    expect(await backups(folder)).toEqual(
      [newest - 1, newest].map((each) => `agent-reach.db.v${each}.backup`),
    );
  });

  test('new files and files of today are not copied', async () => {
    const folder = await temporaryFolder();
    for (const _ of ['new', 'of today']) await (await openStores({ store: null, data: folder })).close();
    expect(await backups(folder)).toEqual([]);
  });

  test('a copy that was cut off is made anew', async () => {
    const folder = await temporaryFolder();
    const path = fileOfVersion(folder, 'store', 1, CATALOGUE);
    await writeFile(`${path}.v1.backup.new`, 'half of a copy');
    SqliteFile.open(path).close();
    expect(await backups(folder)).toEqual(['agent-reach.db.v1.backup']);
    expect(SqliteFile.versionOf(`${path}.v1.backup`, DATA_FILES.store.migrations)).toBe(1);
  });
});

describe('what is to be done', () => {
  test('is told and not done, then done and told', async () => {
    const folder = await temporaryFolder();
    const path = fileOfVersion(folder, 'store', 1, CATALOGUE);
    fileOfVersion(folder, 'labels', DATA_FILES.labels.migrations.length);
    const before = await readFile(path);
    const names = await readdir(folder);
    const todo = migrationsOf(folder);
    const newestVersion = DATA_FILES.store.migrations.length;
    expect(todo).toMatchObject([
      { path, version: 1, newestVersion, backup: `${path}.v1.backup` },
      { version: 0, backup: undefined },
      { version: 0, backup: undefined },
      { version: 1, newestVersion: 1, backup: undefined },
    ]);
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(await readdir(folder)).toEqual(names);
    expect(migrateFolder(folder)).toEqual(todo);
    expect(await backups(folder)).toEqual(['agent-reach.db.v1.backup']);
    expect(migrationsOf(folder)[0]).toMatchObject({ version: newestVersion, backup: undefined });
    // What is not there is left to the start.
    expect(await readdir(folder)).not.toContain('records.db');
  });

  test('is refused where a service has the file', async () => {
    const folder = await temporaryFolder();
    const stores = await openStores({ store: null, data: folder });
    onTestFinished(() => stores.close());
    const inUse = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('in use by process') };
    expect(() => migrationsOf(folder)).toThrow(expect.objectContaining(inUse));
  });
});

const MEGABYTE = 1_048_576;
const mount = (folder: string) =>
  spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${2 * MEGABYTE}`, 'tmpfs', folder]).status === 0;

test('where there is no room for the copy, the start fails and nothing is changed', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'reach-disk-'));
  if (process.platform !== 'linux' || !mount(folder)) context.skip('this user may not mount a disk');
  onTestFinished(async () => {
    spawnSync('/bin/umount', ['-l', folder]);
    await rm(folder, { recursive: true });
  });
  const path = fileOfVersion(
    folder,
    'store',
    1,
    `${CATALOGUE}
    INSERT INTO vectors VALUES ('m', 't', zeroblob(600000))`,
  );
  const { bavail, bsize } = await statfs(folder);
  await writeFile(join(folder, 'filler'), Buffer.alloc(bavail * bsize - 300_000));
  const before = await readFile(path);
  const refused = {
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/cannot be copied.*full.*nothing was changed/),
  };
  await expect(openStores({ store: null, data: folder })).rejects.toMatchObject(refused);
  expect((await readFile(path)).equals(before)).toBe(true);
  expect(await backups(folder)).toEqual([]);
  await rm(join(folder, 'filler'));
  await (await openStores({ store: null, data: folder })).close();
  expect(await backups(folder)).toEqual(['agent-reach.db.v1.backup']);
});
