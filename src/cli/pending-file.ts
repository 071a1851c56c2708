import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file that is replaced whole or not at all: what is written lies beside it until then. */
export class PendingFile {
  readonly #path: string;
  readonly #fresh: string;

  private constructor(path: string, fresh: string) {
    this.#path = path;
    this.#fresh = fresh;
  }

  /** Finds out whether it can be written, without touching what is there. @throws the file system's error */
  static async open(path: string): Promise<PendingFile> {
    const fresh = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
    await (await open(fresh, 'wx')).close();
    return new PendingFile(path, fresh);
  }

  /** Puts the text in place of what is there. @throws the file system's error */
  async write(text: string): Promise<void> {
    const file = await open(this.#fresh, 'w');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.#fresh, this.#path);
  }

  /** Leaves nothing behind of what was not written. */
  async close(): Promise<void> {
    await rm(this.#fresh, { force: true });
  }
}
