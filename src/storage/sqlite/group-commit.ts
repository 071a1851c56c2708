import type { SqliteFile } from './sqlite-file.js';

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits together what is asked for in one turn of the event loop: a commit waits for the disk, and this thread with
 * it, so that a fleet that registers at once would keep everybody waiting as often as it has instances.
 */
export class GroupCommit {
  readonly #file: SqliteFile;
  #waiting: Waiting[] = [];

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /**
   * Runs `work` in a transaction, which may be others' too. It resolves when that is on the disk; where `work` throws,
   * it alone is undone. It may be run twice, so it changes nothing but the file.
   */
  transaction<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ work, resolve, reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const results = this.#file.transaction(() => group.map(({ work }) => work()));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as never);
    } catch {
      // Which of them is at fault shows when each has a transaction of its own.
      for (const each of group) this.#commitAlone(each);
    }
  }

  #commitAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(this.#file.transaction(work) as never);
    } catch (thrown) {
      reject(thrown);
    }
  }
}
