import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { asReachError, ReachError } from '../errors.js';
import { FolderAgents } from './folder-agents.js';
import type { FolderEvent, FolderHandler } from './folder-event.js';
import { type FolderChange, FolderFiles } from './folder-files.js';

export interface FolderStatus {
  readonly path: string;
  /** False while the folder itself cannot be read. */
  readonly readable: boolean;
  readonly broken: readonly { readonly file: string; readonly error: ReachError }[];
}

/** How often all files are looked at, since file systems do not tell of every change. */
const SWEEP_MS = 1_000;
/** The pause between two looks while much is being written. */
const PAUSE_MS = 50;

/** The manifests of a folder, one file an agent; subfolders and editors' temporary files do not count. */
export class ManifestFolder {
  readonly #path: string;
  readonly #files: FolderFiles;
  readonly #agents: FolderAgents;
  readonly #closing = new AbortController();
  #watcher: FSWatcher | undefined;
  /** The folder that is watched; another one may take its place at the same path. */
  #watched: bigint | undefined;
  #wake = new AbortController();
  #fault: ReachError | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
    this.#files = new FolderFiles(path);
    this.#agents = new FolderAgents(path);
  }

  /**
   * Everything that is there, in the order of the file names; asked once, before `watch`. Whoever refuses one of
   * the documents says so by `refuse`.
   * @throws ReachError CONFIG_INVALID where the folder cannot be read.
   */
  async read(): Promise<readonly FolderEvent[]> {
    let changes: readonly FolderChange[];
    try {
      changes = await this.#files.first();
    } catch (thrown) {
      throw this.#unreadable(thrown);
    }
    const events: FolderEvent[] = [];
    await this.#agents.take(changes, async (event) => {
      events.push(event);
    });
    return events;
  }

  /** Says that the document of a file was not accepted. */
  refuse(file: string, error: ReachError): void {
    this.#agents.refuse(file, error);
  }

  /** Tells every later change to the handler, a saved file within 2 s. */
  watch(handler: FolderHandler): void {
    this.#running = this.#run(handler);
  }

  status(): FolderStatus {
    return { path: this.#path, readable: this.#fault === undefined, broken: this.#agents.broken() };
  }

  /** Ends watching; resolves when the handler is done with what it has. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake.abort();
    await this.#running;
    this.#watcher?.close();
  }

  async #run(handler: FolderHandler): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const isSettled = await this.#sweep(handler);
      await this.#pause(isSettled ? SWEEP_MS : PAUSE_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    const options = { ref: false };
    await delay(PAUSE_MS, undefined, { ...options, signal: this.#closing.signal }).catch(() => {});
    await delay(ms - PAUSE_MS, undefined, { ...options, signal: this.#wake.signal }).catch(() => {});
    if (!this.#closing.signal.aborted) this.#wake = new AbortController();
  }

  /** One look at the folder; true where nothing is under way. */
  async #sweep(handler: FolderHandler): Promise<boolean> {
    try {
      await this.#follow();
      const { changes, unsettled } = await this.#files.look();
      this.#fault = undefined;
      for (const file of await this.#agents.take(changes, handler)) this.#files.forget(file);
      return !unsettled;
    } catch (thrown) {
      const isTold = this.#fault !== undefined;
      const error = this.#unreadable(thrown);
      this.#fault = error;
      if (!isTold) await handler({ kind: 'broken', file: this.#path, error }).catch(() => {});
      return true;
    }
  }

  /** Watches the folder that is at the path now. Without a watcher the sweeps still see everything. */
  async #follow(): Promise<void> {
    const { ino } = await stat(this.#path, { bigint: true });
    if (this.#watched === ino && this.#watcher !== undefined) return;
    this.#watcher?.close();
    this.#watched = ino;
    try {
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#wake.abort());
      this.#watcher.on('error', () => {
        this.#watched = undefined;
      });
    } catch {
      this.#watcher = undefined;
    }
  }

  #unreadable(thrown: unknown): ReachError {
    const { message } = asReachError(thrown);
    return new ReachError('CONFIG_INVALID', `The manifest folder ${this.#path} cannot be read: ${message}`, {
      cause: thrown,
    });
  }
}
