import type { QueuedWork } from '../../requests/work-queue.js';
import type { WorkList } from '../process-work-queue.js';
import { GroupCommit } from './group-commit.js';
import type { SqliteFile } from './sqlite-file.js';

/** Queued work in a SQLite file. */
export class SqliteWorkList implements WorkList {
  readonly #file: SqliteFile;
  readonly #commits: GroupCommit;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#commits = new GroupCommit(file);
    this.#statements = prepareStatements(file);
  }

  async add(team: string, { requestId, lane }: QueuedWork): Promise<void> {
    await this.#commits.transaction(() => this.#statements.add.run(team, requestId, lane));
  }

  async remove(team: string, requestId: string): Promise<void> {
    // Done work that comes back after the machine went down is seen to be done.
    this.#file.soon(() => this.#statements.remove.run(team, requestId));
  }

  async all(team: string): Promise<QueuedWork[]> {
    return this.#file.read(() => this.#statements.all.all(team) as QueuedWork[]);
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    add: file.prepare('INSERT INTO work (team, request_id, lane) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    remove: file.prepare('DELETE FROM work WHERE team = ? AND request_id = ?'),
    all: file.prepare('SELECT request_id AS requestId, lane FROM work WHERE team = ? ORDER BY seq'),
  };
}
