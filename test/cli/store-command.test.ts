import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { label } from '../labels/labels.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

async function folderWithLabel(): Promise<string> {
  const folder = await temporaryFolder();
  const stores = await openStores({ store: null, data: folder });
  await stores.labels.add('default', [label(1)]);
  await stores.close();
  return folder;
}

test('a store is exported into a file that only its owner reads, and imported from it', async () => {
  const [from, to] = [await folderWithLabel(), await temporaryFolder()];
  const file = join(await temporaryFolder(), 'store.jsonl');
  const told = await captured(['store', 'export', file, '--data', from]);
  expect(told).toMatchObject({ code: 0, out: '', err: expect.stringContaining('secrets too') });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // A Redis that the environment names is not meant where the command names a folder.
  const env = { REACH_STORE: 'redis://127.0.0.1:1' };
  const second = await captured(['store', 'import', file, '--data', to], { env });
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('label 1') });
  const printed = await captured(['store', 'export', '--data', to]);
  expect(printed.out.split('\n').slice(1)).toEqual((await readFile(file, 'utf8')).split('\n').slice(1));
});

test('what cannot be exported or imported is told in a sentence, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'store.jsonl');
  const none = await captured(['store', 'export', file, '--data', join(folder, 'nothing')]);
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There is no store in') });
  expect(await readdir(folder)).toEqual([]);
  await writeFile(file, 'no export\n');
  const wrong = await captured(['store', 'import', file, '--data', join(folder, 'data')]);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('line 1 is no JSON object') });
  const full = await folderWithLabel();
  await captured(['store', 'export', file, '--data', full]);
  const again = await captured(['store', 'import', file, '--data', full]);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
});

test('a folder of today has nothing to migrate, and one that is not there neither', async () => {
  const today = await captured(['store', 'migrate', '--dry-run', '--data', await folderWithLabel()]);
  expect(today.code).toBe(0);
  expect(today.out.match(/the newest: nothing is to be done/g)).toHaveLength(4);
  const folder = join(await temporaryFolder(), 'none');
  const none = await captured(['store', 'migrate', '--data', folder]);
  expect(none).toMatchObject({ code: 0, out: expect.stringContaining('is not there yet') });
});
