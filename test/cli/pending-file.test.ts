import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PendingFile } from '../../src/cli/pending-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('leaves what is there until it is written, then replaces it whole', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'weights.json');
  await writeFile(path, 'before');
  const pending = await PendingFile.open(path);
  expect(await readFile(path, 'utf8')).toBe('before');
  await pending.write('after');
  await pending.close();
  expect(await readFile(path, 'utf8')).toBe('after');
  expect(await readdir(folder)).toEqual(['weights.json']);
});

it('leaves nothing behind where it is never written', async () => {
  const folder = await temporaryFolder();
  const pending = await PendingFile.open(join(folder, 'weights.json'));
  await pending.close();
  expect(await readdir(folder)).toEqual([]);
});

it('says at once where a folder is not there', async () => {
  await expect(PendingFile.open('/no/such/folder/weights.json')).rejects.toThrow('ENOENT');
});
