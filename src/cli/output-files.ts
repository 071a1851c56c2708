import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';

/** The file that a path leads to, or would: the same however it is spelled. */
async function fileAt(path: string): Promise<string> {
  const known = await realpath(path).catch(() => undefined);
  if (known !== undefined) return known;
  const folder = dirname(resolve(path));
  return join(await realpath(folder).catch(() => folder), basename(path));
}

/** Two names for one file would destroy what it holds: a usage error. `read`: the files that are not written. */
export async function refuseSharedFiles(
  written: readonly (string | undefined)[],
  read: readonly string[],
  command: Command,
): Promise<void> {
  const seen = new Set(await Promise.all(read.map(fileAt)));
  for (const output of written) {
    if (output === undefined) continue;
    const file = await fileAt(output);
    if (seen.has(file)) command.error(`error: ${output} is named twice, and would be overwritten`);
    seen.add(file);
  }
}

/** Opened by `open` before anything long begins, so that a path that cannot be written is told at once, as a usage error. */
export async function openedBy<File>(
  open: (path: string) => Promise<File>,
  path: string | undefined,
  command: Command,
): Promise<File | undefined> {
  if (path === undefined) return undefined;
  return open(path).catch(({ message }: Error) =>
    command.error(`error: ${path} cannot be written: ${message}`),
  );
}

/** A file that is written over. */
export const opened = (path: string | undefined, command: Command): Promise<FileHandle | undefined> =>
  openedBy((file) => open(file, 'w'), path, command);
