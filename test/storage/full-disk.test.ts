import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { loadedRegistry, manifestOf } from '../registry/registry-fixture.js';

const MEGABYTE = 1_048_576;

const mount = (folder: string) =>
  spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${4 * MEGABYTE}`, 'tmpfs', folder]).status === 0;
const unmount = (folder: string) => spawnSync('/bin/umount', ['-l', folder]).status === 0;

/** Only root may mount, and not in every container. */
async function whyNoDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'small disks are mounted on Linux only';
  const folder = await mkdtemp(join(tmpdir(), 'reach-disk-'));
  const mounted = mount(folder) && unmount(folder);
  await rm(folder, { recursive: true });
  return mounted ? undefined : 'this user may not mount a disk';
}

/** A disk of 4 MB, and the folder of a store on it. */
async function smallDisk(): Promise<{ disk: string; data: string }> {
  const disk = await mkdtemp(join(tmpdir(), 'reach-disk-'));
  expect(mount(disk)).toBe(true);
  onTestFinished(async () => {
    unmount(disk);
    await rm(disk, { recursive: true });
  });
  return { disk, data: join(disk, 'data') };
}

/** Fills the disk up to its last block; the returned function makes room again. */
async function fill(disk: string): Promise<() => Promise<void>> {
  const filler = join(disk, 'filler');
  const { bavail, bsize } = await statfs(disk);
  await writeFile(filler, Buffer.alloc(bavail * bsize));
  expect((await statfs(disk)).bavail).toBe(0);
  return () => unlink(filler);
}

const full = (what: RegExp) =>
  expect.objectContaining({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(what) });

const large = (version: number) => ({
  ...manifestOf('large', version),
  metadata: { text: 'x'.repeat(100_000) },
});

const reason = await whyNoDisk();

describe.skipIf(reason !== undefined)(
  `a disk that is full${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    test('refuses the change that does not fit, keeps every one before it, and takes changes again with room', async () => {
      const { disk, data } = await smallDisk();
      const stores = await openStores({ store: null, data });
      const { registry } = await loadedRegistry(stores.catalogue);
      await registry.publish(manifestOf('small', 1), 'api');
      const makeRoom = await fill(disk);
      let version = 0;
      const publishing = (async () => {
        for (; version < 100; version++) await registry.publish(large(version + 1), 'api');
      })();
      await expect(publishing).rejects.toEqual(
        full(/^The disk that holds .* is full; nothing was changed\.$/),
      );
      const { snapshot } = registry;
      expect(snapshot.version).toBe(version + 1);
      expect(stores.status()).toMatchObject({ state: 'failed', detail: expect.stringMatching(/is full/) });
      await expect(registry.remove('small', 'api')).rejects.toEqual(full(/is full/));
      expect(registry.snapshot).toBe(snapshot);
      // What is there can still be read.
      expect((await stores.catalogue.load('default')).version).toBe(snapshot.version);
      expect(await registry.history('small', 10)).toHaveLength(1);

      await makeRoom();
      await registry.publish(large(version + 1), 'api');
      expect(stores.status().state).toBe('ok');
      const kept = await stores.catalogue.load('default');
      await stores.close();
      const again = await openStores({ store: null, data });
      onTestFinished(() => again.close());
      expect(await again.catalogue.load('default')).toEqual(kept);
      expect(kept.manifests.map(({ agentName }) => agentName)).toEqual(['large', 'small']);
    });

    test('at the start is one sentence, and does no harm to what is kept', async () => {
      const { disk, data } = await smallDisk();
      const makeRoomForNew = await fill(disk);
      await expect(openStores({ store: null, data })).rejects.toEqual(full(/is full|cannot be/));
      await makeRoomForNew();
      const stores = await openStores({ store: null, data });
      const { registry } = await loadedRegistry(stores.catalogue);
      await registry.publish(manifestOf('small', 1), 'api');
      await stores.close();

      const makeRoom = await fill(disk);
      const opened = await openStores({ store: null, data }).then(
        (onFull) => onFull.catalogue.load('default').finally(() => onFull.close()),
        (thrown: unknown) => thrown,
      );
      // A file that needs no repair may be readable all the same.
      expect([full(/is full|cannot be used/), { version: 1, manifests: [expect.anything()] }]).toContainEqual(
        opened,
      );
      await makeRoom();
      const again = await openStores({ store: null, data });
      onTestFinished(() => again.close());
      expect((await again.catalogue.load('default')).manifests).toMatchObject([{ agentName: 'small' }]);
    });
  },
);
