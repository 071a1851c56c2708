import { execFile } from 'node:child_process';
import { copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface SetUp {
  foreignRuntimes(root: string, platform: string, arch: string): readonly string[];
}

/** Installs what production needs into a folder of its own, as the set-up does, and returns its size in MB. */
export async function installedSizeMb(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-size-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      copyFileSync(join(ROOT, file), join(folder, file));
    }
    await promisify(execFile)('npm', ['ci', '--omit=dev'], { cwd: folder });
    const setUp: SetUp = await import(new URL('../../src/setup.mjs', import.meta.url).href);
    for (const runtime of setUp.foreignRuntimes(folder, process.platform, process.arch)) {
      rmSync(runtime, { recursive: true });
    }
    return diskBytes(join(folder, 'node_modules')) / 1e6;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a folder takes on the disk: whole blocks, links not followed. */
function diskBytes(path: string): number {
  const stats = lstatSync(path);
  const own = stats.blocks * 512;
  if (!stats.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + diskBytes(join(path, name)), own);
}
