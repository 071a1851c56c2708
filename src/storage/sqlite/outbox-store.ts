import { type Delivery, hostOf, type OutboxMessage } from '../../outbox/message.js';
import type { AttemptResult, OutboxLimits, OutboxStore, TakenMessage } from '../../outbox/outbox-store.js';
import { GroupCommit } from './group-commit.js';
import type { SqliteFile } from './sqlite-file.js';

interface WaitingRow {
  readonly message: string;
  readonly delivery: string;
}

/** Messages in a SQLite file. */
export class SqliteOutboxStore implements OutboxStore {
  readonly #file: SqliteFile;
  readonly #commits: GroupCommit;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#commits = new GroupCommit(file);
    this.#statements = prepareStatements(file);
  }

  add(team: string, message: OutboxMessage, nowMs: number, limits: OutboxLimits) {
    const { messageId, body } = message;
    return this.#commits.transaction((): 'added' | 'known' | 'full' => {
      if (this.#statements.find.get(team, messageId) !== undefined) return 'known';
      const { count, chars } = this.#statements.load.get(team) as { count: number; chars: number };
      if (count >= limits.messages || chars + body.length > limits.chars) return 'full';
      // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
      const document = JSON.stringify(message);
      const delivery: Delivery = { state: 'waiting', attempts: 0, lastError: null };
      this.#statements.add.run(
        team,
        messageId,
        hostOf(message),
        document,
        body.length,
        JSON.stringify(delivery),
        nowMs,
      );
      return 'added';
    });
  }

  async take(
    team: string,
    nowMs: number,
    untilMs: number,
    without: readonly string[],
  ): Promise<TakenMessage | undefined> {
    const hosts = JSON.stringify(without);
    const due = () => this.#statements.due.get(team, nowMs, hosts) as WaitingRow | undefined;
    // Looked for first: most looks find nothing, and need not write.
    if (this.#file.read(due) === undefined) return undefined;
    // Where the machine goes down it is taken again, which at least once allows.
    return this.#file.soon(() => {
      const row = due();
      if (row === undefined) return undefined;
      const message: OutboxMessage = JSON.parse(row.message);
      const { attempts, lastError }: Delivery = JSON.parse(row.delivery);
      this.#statements.postpone.run(untilMs, team, message.messageId);
      return { ...message, attempts, lastError };
    });
  }

  settle(
    team: string,
    messageId: string,
    attempts: number,
    { nextAtMs, ...delivery }: AttemptResult,
    nowMs: number,
  ): Promise<boolean> {
    const told = JSON.stringify(delivery);
    return this.#commits.transaction(() => {
      const { settle, end } = this.#statements;
      const change =
        nextAtMs === undefined
          ? end.run(told, delivery.attempts, nowMs, team, messageId, attempts)
          : settle.run(told, delivery.attempts, Math.round(nextAtMs), team, messageId, attempts);
      return change.changes === 1;
    });
  }

  async nextDueAt(team: string, without: readonly string[]): Promise<number | undefined> {
    return this.#file.read(() => {
      const { at } = this.#statements.nextDue.get(team, JSON.stringify(without)) as { at: number | null };
      return at ?? undefined;
    });
  }

  async find(team: string, messageId: string): Promise<Delivery | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.find.get(team, messageId) as Pick<WaitingRow, 'delivery'> | undefined;
      return row && JSON.parse(row.delivery);
    });
  }

  async waiting(team: string): Promise<number> {
    return this.#file.read(() => (this.#statements.load.get(team) as { count: number }).count);
  }

  async prune(team: string, endedBeforeMs: number): Promise<void> {
    if (this.#file.read(() => this.#statements.isOld.get(team, endedBeforeMs)) === undefined) return;
    this.#file.soon(() => this.#statements.prune.run(team, endedBeforeMs));
  }
}

function prepareStatements(file: SqliteFile) {
  const waitingFor = 'team = ? AND due_at_ms IS NOT NULL';
  const notTo = 'host NOT IN (SELECT value FROM json_each(?))';
  return {
    find: file.prepare('SELECT delivery FROM outbox WHERE team = ? AND message_id = ?'),
    load: file.prepare(
      `SELECT count(*) AS count, coalesce(sum(chars), 0) AS chars FROM outbox WHERE ${waitingFor}`,
    ),
    add: file.prepare(`
      INSERT INTO outbox (team, message_id, host, message, chars, delivery, attempts, due_at_ms)
      VALUES (?, ?, ?, ?, ?, ?, 0, ?)`),
    due: file.prepare(`
      SELECT message, delivery FROM outbox
      WHERE ${waitingFor} AND due_at_ms <= ? AND ${notTo} ORDER BY due_at_ms LIMIT 1`),
    nextDue: file.prepare(`SELECT min(due_at_ms) AS at FROM outbox WHERE ${waitingFor} AND ${notTo}`),
    postpone: file.prepare('UPDATE outbox SET due_at_ms = ? WHERE team = ? AND message_id = ?'),
    settle: file.prepare(`
      UPDATE outbox SET delivery = ?, attempts = ?, due_at_ms = ?
      WHERE team = ? AND message_id = ? AND attempts = ? AND due_at_ms IS NOT NULL`),
    end: file.prepare(`
      UPDATE outbox SET delivery = ?, attempts = ?, ended_at_ms = ?, due_at_ms = NULL, message = NULL, chars = 0
      WHERE team = ? AND message_id = ? AND attempts = ? AND due_at_ms IS NOT NULL`),
    isOld: file.prepare('SELECT 1 FROM outbox WHERE team = ? AND ended_at_ms < ? LIMIT 1'),
    prune: file.prepare('DELETE FROM outbox WHERE team = ? AND ended_at_ms < ?'),
  };
}
