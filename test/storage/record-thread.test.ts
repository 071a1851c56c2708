import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { RECORD_MIGRATIONS } from '../../src/storage/sqlite/record-schema.js';
import { SqliteRecordStore } from '../../src/storage/sqlite/record-store.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { StoreThread } from '../../src/storage/sqlite/store-thread.js';
import { recordPortsOf } from '../../src/storage/sqlite/thread-ports.js';
import { EVERY_RECORD, record } from '../record/records.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function recordThread(path: string) {
  const thread = await StoreThread.open({ records: path });
  return { ...recordPortsOf(thread), close: () => thread.close() };
}

test('a file that is not ours is refused, and the store beside it is free again', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'records.db'), 'no database, but long enough to look like one. '.repeat(50));
  await expect(openStores({ store: null, data: folder })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/records\.db is damaged or not a store/),
  });
  await writeFile(join(folder, 'records.db'), '');
  await (await openStores({ store: null, data: folder })).close();
});

test('a file that was deleted cannot be closed in order, and the store beside it is free again', async () => {
  const folder = await temporaryFolder();
  const stores = await openStores({ store: null, data: folder });
  await stores.records.append('t', [record(1)]);
  await rm(join(folder, 'records.db'));
  await expect(stores.close()).rejects.toMatchObject({ message: expect.stringMatching(/records\.db/) });
  await (await openStores({ store: null, data: folder })).close();
});

test('requests that cannot be kept are a fault of the store, and reports of it, until they can', async () => {
  const folder = await temporaryFolder();
  const stores = await openStores({ store: null, data: folder });
  await rename(join(folder, 'requests.db'), join(folder, 'away.db'));
  await expect(stores.requests.prune('t', 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(stores.status()).toMatchObject({ state: 'failed', detail: expect.stringMatching(/requests\.db/) });
  await rename(join(folder, 'away.db'), join(folder, 'requests.db'));
  await stores.requests.prune('t', 1);
  expect(stores.status()).toMatchObject({ state: 'ok' });
  await stores.close();
});

test('a thread that dies takes nobody with it, and what is asked of it is refused', async () => {
  const started = once(process, 'worker');
  const thread = await recordThread(join(await temporaryFolder(), 'records.db'));
  const [worker] = (await started) as [Worker];
  const died = once(worker, 'error');
  worker.postMessage(undefined);
  await died;
  // Node ends a process in the turn in which nobody has taken an error.
  await setImmediate();
  await expect(thread.records.page('t', EVERY_RECORD)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await expect(thread.close()).rejects.toThrow('destructure');
});

test('what was asked before the close is done; what is asked after it is refused', async () => {
  const path = join(await temporaryFolder(), 'records.db');
  const thread = await recordThread(path);
  const appended = thread.records.append('t', [record(1)]);
  await Promise.all([thread.close(), thread.close(), appended]);
  await expect(thread.records.page('t', EVERY_RECORD)).rejects.toMatchObject({ code: 'CLOSED' });
  const again = await recordThread(path);
  onTestFinished(() => again.close());
  expect(await again.records.page('t', EVERY_RECORD)).toEqual([record(1)]);
});

test('a process that closes its stores while one is asked lives until they are closed', async () => {
  const closer = [join(import.meta.dirname, 'closer.mjs'), await temporaryFolder()];
  const { stdout } = await promisify(execFile)(process.execPath, closer);
  expect(stdout).toBe('closed\n');
});

test('a store that fails says why, and goes on', async () => {
  const thread = await recordThread(join(await temporaryFolder(), 'records.db'));
  onTestFinished(() => thread.close());
  const broken = record(1, { atMs: 0.5 });
  await expect(thread.records.append('t', [broken])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await thread.records.append('t', [record(2)]);
  expect(await thread.records.page('t', EVERY_RECORD)).toEqual([record(2)]);
});

test('the newest are kept, as many as there is room for', async () => {
  const file = SqliteFile.open(join(await temporaryFolder(), 'records.db'), RECORD_MIGRATIONS);
  onTestFinished(() => file.close());
  const store = new SqliteRecordStore(file, 1_000);
  for (let index = 0; index < 3_000; index += 100) {
    await store.append(
      't',
      Array.from({ length: 100 }, (_, each) => record(index + each)),
    );
  }
  while (await store.prune('t', 0));
  const kept = await store.page('t', EVERY_RECORD);
  expect(kept.map(({ routeId }) => routeId)).toEqual(
    Array.from({ length: 1_000 }, (_, each) => record(2_000 + each).routeId),
  );
});

test('a batch is handed over at once, however long the disk takes', { timeout: 120_000 }, async () => {
  const thread = await recordThread(join(await temporaryFolder(), 'records.db'));
  onTestFinished(() => thread.close());
  const held: number[] = [];
  for (let index = 0; index < 20_000; index += 100) {
    const batch = Array.from({ length: 100 }, (_, each) => record(index + each));
    const start = performance.now();
    const appended = thread.records.append('t', batch);
    held.push(performance.now() - start);
    await appended;
  }
  // Others may take the core away now and then.
  expect(held.sort((a, b) => a - b)[150]).toBeLessThan(5);
});
