import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';

const DISK_BYTES = 16 * 1_048_576;

/** A disk of 16 MB. */
export interface SmallDisk {
  /** A folder on it for a store; not there yet. */
  readonly data: string;
  /** Fills it up to its last block; the returned function makes room again. */
  fill(): Promise<() => Promise<void>>;
}

const mount = (folder: string) =>
  spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]).status === 0;
const unmount = (folder: string) => spawnSync('/bin/umount', ['-l', folder]).status === 0;

/** Only root may mount, and not in every container. */
async function whyNoDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'small disks are mounted on Linux only';
  const folder = await mkdtemp(join(tmpdir(), 'reach-disk-'));
  const mounted = mount(folder) && unmount(folder);
  await rm(folder, { recursive: true });
  return mounted ? undefined : 'this user may not mount a disk';
}

const reason = await whyNoDisk();

/** Tests on a small disk: skipped, with the reason in their name, where none can be mounted. */
export function describeWithSmallDisk(name: string, tests: () => void): void {
  describe.skipIf(reason !== undefined)(`${name}${reason === undefined ? '' : ` (${reason})`}`, tests);
}

/** A disk of its own for the running test. */
export async function smallDisk(): Promise<SmallDisk> {
  const disk = await mkdtemp(join(tmpdir(), 'reach-disk-'));
  expect(mount(disk)).toBe(true);
  onTestFinished(async () => {
    unmount(disk);
    await rm(disk, { recursive: true });
  });
  return {
    data: join(disk, 'data'),
    async fill() {
      const filler = join(disk, 'filler');
      const { bavail, bsize } = await statfs(disk);
      // Who has the store open may be quicker, and have some of it.
      await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
      expect((await statfs(disk)).bavail).toBe(0);
      return () => unlink(filler);
    },
  };
}
