import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileChange, FollowedFile } from './followed-file.js';
import { isDocumentFile } from './read-document.js';
import { MANIFEST_LIMITS } from './schema.js';

/** What became of a file of the folder since the last look, by its name in it. */
export type FolderChange = FileChange & { readonly file: string };

export interface FolderLook {
  /** In the order of the file names. */
  readonly changes: readonly FolderChange[];
  /** Something is being written or replaced right now: look again soon. */
  readonly unsettled: boolean;
}

/** Temporary and lock files of editors. */
const TEMPORARY = /^[.#~]/;

/** The names of the manifest files in a folder, without its subfolders, in order. @throws the file system's error */
export async function manifestFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && isDocumentFile(entry.name) && !TEMPORARY.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The manifest files of a folder, without its subfolders: tells what has changed from look to look. */
export class FolderFiles {
  readonly #folder: string;
  readonly #files = new Map<string, FollowedFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes everything as it stands. @throws the file system's error where the folder cannot be read. */
  async first(): Promise<readonly FolderChange[]> {
    const changes: FolderChange[] = [];
    for (const [file, followed] of await this.#followed()) {
      const change = await followed.first();
      if (change !== undefined) changes.push({ ...change, file });
    }
    return changes;
  }

  /** What has changed and settled. @throws the file system's error where the folder cannot be read. */
  async look(): Promise<FolderLook> {
    const changes: FolderChange[] = [];
    let anyUnsettled = false;
    for (const [file, followed] of await this.#followed()) {
      const { change, unsettled } = await followed.look();
      if (change !== undefined) changes.push({ ...change, file });
      anyUnsettled ||= unsettled;
    }
    return { changes, unsettled: anyUnsettled };
  }

  /** Takes a file for unread, so that the next look tells its content again. */
  forget(file: string): void {
    this.#files.get(file)?.forget();
  }

  /** The files that are there, and those that were and may be gone, in the order of their names. */
  async #followed(): Promise<readonly (readonly [file: string, followed: FollowedFile])[]> {
    const present = new Set(await manifestFilesIn(this.#folder));
    for (const [file, followed] of this.#files) {
      if (!present.has(file) && !followed.isKnown) this.#files.delete(file);
    }
    for (const file of present) {
      if (this.#files.has(file)) continue;
      this.#files.set(file, new FollowedFile(join(this.#folder, file), MANIFEST_LIMITS.bytes));
    }
    return [...this.#files].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
