import type { SessionStore, SessionSummary, StoredSession } from '../../sessions/session-store.js';
import { jsonFrom } from './errors.js';
import type { SqliteFile } from './sqlite-file.js';

/** Sessions of a team that are kept in a file: with 64 KB each, 6.5 GB. */
const SESSIONS_IN_FILE = 100_000;
/** Rows that are let go of before others have their turn. */
const PRUNED = 500;

type Document = Omit<StoredSession, keyof SessionSummary>;

interface SummaryRow {
  readonly summary: string;
}
interface SessionRow extends SummaryRow {
  readonly document: string;
}

/** What a list shows, and the rest, as JSON text, in which a NUL is an escape: SQLite would cut a bare one. */
export function sessionTexts(session: StoredSession) {
  const { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs, ...document } = session;
  const summary = { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs };
  return [JSON.stringify(summary), JSON.stringify(document)] as const;
}

/** Sessions in a SQLite file. */
export class SqliteSessionStore implements SessionStore {
  readonly #file: SqliteFile;
  readonly #most: number;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** How many there are of a team: SQLite would walk along all of them to tell. */
  readonly #counts = new Map<string, number>();

  /** `most`: how many are kept of a team. */
  constructor(file: SqliteFile, most = SESSIONS_IN_FILE) {
    this.#file = file;
    this.#most = most;
    this.#statements = prepareStatements(file);
  }

  async find(team: string, sessionId: string): Promise<StoredSession | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.find.get(team, sessionId) as SessionRow | undefined;
      return row && { ...this.#parsed<SessionSummary>(row.summary), ...this.#parsed<Document>(row.document) };
    });
  }

  async save(team: string, session: StoredSession): Promise<boolean> {
    const { sessionId, revision, updatedAtMs, expiresAtMs } = session;
    const texts = sessionTexts(session);
    return this.#file.soon(() => {
      const { add, replace } = this.#statements;
      if (revision > 1) {
        const times = [updatedAtMs, expiresAtMs] as const;
        return replace.run(revision, ...times, ...texts, team, sessionId, revision - 1).changes === 1;
      }
      const count = this.#count(team);
      const added = add.run(team, sessionId, revision, updatedAtMs, expiresAtMs, ...texts).changes;
      const tooMany = Math.max(0, count + added - this.#most);
      const dropped = tooMany > 0 ? this.#statements.dropOldest.run(team, tooMany).changes : 0;
      this.#counts.set(team, count + added - dropped);
      return added === 1;
    });
  }

  async remove(team: string, sessionId: string): Promise<boolean> {
    return this.#removed(team, () => this.#statements.remove.run(team, sessionId).changes) === 1;
  }

  async list(
    team: string,
    { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
  ): Promise<SessionSummary[]> {
    return this.#file.read(() => {
      const rows = this.#statements.list.all(team, nowMs, limit) as SummaryRow[];
      return rows.map(({ summary }) => this.#parsed<SessionSummary>(summary));
    });
  }

  async prune(team: string, nowMs: number): Promise<boolean> {
    return this.#removed(team, () => this.#statements.prune.run(team, nowMs, PRUNED).changes) === PRUNED;
  }

  #removed(team: string, remove: () => number): number {
    return this.#file.soon(() => {
      const count = this.#count(team);
      const removed = remove();
      this.#counts.set(team, count - removed);
      return removed;
    });
  }

  #count(team: string): number {
    return this.#counts.get(team) ?? (this.#statements.count.get(team) as { count: number }).count;
  }

  #parsed<Part>(text: string): Part {
    return jsonFrom(this.#file.path, text, 'a session');
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    find: file.prepare('SELECT summary, document FROM sessions WHERE team = ? AND session_id = ?'),
    add: file.prepare(`
      INSERT INTO sessions (team, session_id, revision, updated_at_ms, expires_at_ms, summary, document)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`),
    replace: file.prepare(`
      UPDATE sessions SET revision = ?, updated_at_ms = ?, expires_at_ms = ?, summary = ?, document = ?
      WHERE team = ? AND session_id = ? AND revision = ?`),
    count: file.prepare('SELECT count(*) AS count FROM sessions WHERE team = ?'),
    dropOldest: file.prepare(`
      DELETE FROM sessions WHERE (team, session_id) IN (
        SELECT team, session_id FROM sessions WHERE team = ? ORDER BY updated_at_ms LIMIT ?
      )`),
    remove: file.prepare('DELETE FROM sessions WHERE team = ? AND session_id = ?'),
    // By itself SQLite reads all that are not over and sorts them.
    list: file.prepare(`
      SELECT summary FROM sessions INDEXED BY sessions_by_change WHERE team = ? AND expires_at_ms > ?
      ORDER BY updated_at_ms DESC LIMIT ?`),
    prune: file.prepare(`
      DELETE FROM sessions WHERE (team, session_id) IN (
        SELECT team, session_id FROM sessions WHERE team = ? AND expires_at_ms <= ? LIMIT ?
      )`),
  };
}
