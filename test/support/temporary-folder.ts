import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A folder that is there for the running test, or, with `afterAll` at the top of a file, for all tests of the
 * file.
 */
export async function temporaryFolder(
  whenOver: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-reach-'));
  whenOver(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
