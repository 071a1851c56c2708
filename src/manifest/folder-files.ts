import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isManifestFile,
  type ManifestText,
  readManifestBytes,
  readManifestText,
} from './read-manifest-file.js';

/** What became of a file since the last look. Files are told by their name in the folder. */
export type FileChange =
  | { readonly kind: 'content'; readonly file: string; readonly text: ManifestText }
  | { readonly kind: 'gone'; readonly file: string };

export interface FolderLook {
  /** In the order of the file names. */
  readonly changes: readonly FileChange[];
  /** Something is being written or replaced right now: look again soon. */
  readonly unsettled: boolean;
}

/** A file must keep its size and time for this long before it is read. */
const SETTLE_MS = 80;
/** Content that cannot be parsed, or a missing file, must stay so for this long: saves are not always atomic. */
const DOUBT_MS = 300;
/** A file system's clock may be coarse: a file written this shortly before it was read may change unseen. */
const COARSE_MS = 2_000;

interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
  readonly trusted: boolean;
}

interface FileContent {
  readonly hash: string;
  readonly parse: () => ManifestText;
}

/** Since when the same has been seen of each file that is not acted on yet. */
type Patience = Map<string, { readonly about: string; readonly since: number }>;

/** Temporary and lock files of editors. */
const TEMPORARY = /^[.#~]/;

/** The names of the manifest files in a folder, without its subfolders, in order. @throws the file system's error */
export async function manifestFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && isManifestFile(entry.name) && !TEMPORARY.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The manifest files of a folder, without its subfolders: tells what has changed from look to look. */
export class FolderFiles {
  readonly #folder: string;
  readonly #known = new Map<string, KnownFile>();
  readonly #settling: Patience = new Map();
  readonly #doubts: Patience = new Map();
  #unsettled = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes everything as it stands. @throws the file system's error where the folder cannot be read. */
  async first(): Promise<readonly FileChange[]> {
    return await this.#changes(0, 0);
  }

  /** What has changed and settled. @throws the file system's error where the folder cannot be read. */
  async look(): Promise<FolderLook> {
    this.#unsettled = false;
    const changes = await this.#changes(SETTLE_MS, DOUBT_MS);
    return { changes, unsettled: this.#unsettled };
  }

  /** Takes a file for unread, so that the next look tells its content again. */
  forget(file: string): void {
    const known = this.#known.get(file);
    if (known !== undefined) this.#known.set(file, { ...known, hash: '', trusted: false });
  }

  async #changes(settleMs: number, doubtMs: number): Promise<FileChange[]> {
    const present = await manifestFilesIn(this.#folder);
    const changes: FileChange[] = [];
    for (const file of [...new Set([...present, ...this.#known.keys()])].sort()) {
      const change = await this.#changeOf(file, settleMs, doubtMs);
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  async #changeOf(file: string, settleMs: number, doubtMs: number): Promise<FileChange | undefined> {
    const known = this.#known.get(file);
    const stats = await stat(join(this.#folder, file), { bigint: true }).catch(() => undefined);
    if (stats === undefined || !stats.isFile()) {
      if (known === undefined || this.#waits(this.#doubts, file, 'gone', doubtMs)) return undefined;
      this.#known.delete(file);
      this.#doubts.delete(file);
      return { kind: 'gone', file };
    }
    const stamp = `${stats.mtimeNs} ${stats.size} ${stats.ino}`;
    const isSame = known?.stamp === stamp;
    if (isSame && known.trusted) {
      this.#doubts.delete(file);
      this.#settling.delete(file);
      return undefined;
    }
    if (!isSame && this.#waits(this.#settling, file, stamp, settleMs)) return undefined;
    const { hash, parse } = await this.#contentOf(file);
    const trusted = Date.now() - Number(stats.mtimeMs) > COARSE_MS;
    if (hash === known?.hash) {
      this.#known.set(file, { stamp, hash, trusted });
      return undefined;
    }
    const text = parse();
    if (text.kind === 'unreadable' && this.#waits(this.#doubts, file, hash, doubtMs)) return undefined;
    this.#known.set(file, { stamp, hash, trusted });
    return { kind: 'content', file, text };
  }

  /** True until the same has been said about a file for `ms`. */
  #waits(patience: Patience, file: string, about: string, ms: number): boolean {
    const now = performance.now();
    const last = patience.get(file);
    const since = last?.about === about ? last.since : now;
    patience.set(file, { about, since });
    const waits = now - since < ms;
    this.#unsettled ||= waits;
    return waits;
  }

  async #contentOf(file: string): Promise<FileContent> {
    try {
      const bytes = await readManifestBytes(join(this.#folder, file));
      const hash = createHash('sha256').update(bytes).digest('hex');
      return { hash, parse: () => readManifestText(file, bytes) };
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { hash: message, parse: () => ({ kind: 'unreadable', line: 1, message }) };
    }
  }
}
