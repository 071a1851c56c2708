import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type FileFault, formatFault } from '../manifest/check-manifests.js';
import type { CliServices } from './cli-services.js';
import { printable } from './printable.js';

/** Queries are read twice: what comes from a pipe would be gone. Anything else is a usage error. */
export async function refuseUnlessFile(path: string, command: Command): Promise<void> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) command.error(`error: ${path} is not a file that can be read`);
}

/** What a command does with files that can be used. */
export type Undone = 'measured' | 'tuned' | 'imported';

/** Says what is wrong with files, each fault on a line, and what was not done for it. */
export function tellFaults(
  faults: readonly FileFault[],
  what: string,
  { stderr }: Pick<CliServices, 'stderr'>,
  undone: Undone,
): void {
  for (const fault of faults) stderr.write(`${printable(formatFault(fault))}\n`);
  stderr.write(`agent-reach: ${what} cannot be used; nothing was ${undone}\n`);
}

/** What of a file of queries cannot be used. */
export function faultyPart({ faultyLines }: { readonly faultyLines: number }): string {
  if (faultyLines === 0) return 'the file';
  return faultyLines === 1 ? '1 line' : `${faultyLines} lines`;
}
