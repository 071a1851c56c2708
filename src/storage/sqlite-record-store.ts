import { randomBytes } from 'node:crypto';
import type { DecisionRecord } from '../record/decision-record.js';
import type { OutcomeRecord, RecordQuery, RecordStore } from '../record/record-store.js';
import type { SqliteFile } from './sqlite-file.js';

/** Decisions that are kept in a file: with some 2 KB each, 10 GB. */
const RECORDS_IN_FILE = 5_000_000;
/** Rows that are let go of before others have their turn. */
const PRUNED = 500;

interface Row {
  readonly document: string;
  readonly reported: string | null;
}

function recordIn({ document, reported }: Row): DecisionRecord {
  return { ...JSON.parse(document), reported: reported === null ? null : JSON.parse(reported) };
}

/** Decisions in a SQLite file. */
export class SqliteRecordStore implements RecordStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #most: number;

  /** `most`: how many are kept, of all teams together. */
  constructor(file: SqliteFile, most = RECORDS_IN_FILE) {
    this.#file = file;
    this.#statements = prepareStatements(file);
    this.#most = most;
  }

  async salt(team: string): Promise<string> {
    return this.#file.transaction(() => {
      this.#statements.addSalt.run(team, randomBytes(32).toString('hex'));
      return (this.#statements.salt.get(team) as { salt: string }).salt;
    });
  }

  async append(team: string, records: readonly DecisionRecord[]): Promise<void> {
    this.#file.soon(() => {
      for (const { reported, ...record } of records) {
        const { routeId, atMs, targetAgent } = record;
        // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
        const document = JSON.stringify(record);
        const outcome = reported === null ? null : JSON.stringify(reported);
        this.#statements.append.run(team, routeId, atMs, targetAgent, document, outcome);
      }
    });
  }

  async find(team: string, routeId: string): Promise<DecisionRecord | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.find.get(team, routeId) as Row | undefined;
      return row && recordIn(row);
    });
  }

  async report(team: string, routeId: string, outcome: OutcomeRecord): Promise<boolean> {
    return this.#file.soon(
      () => this.#statements.report.run(JSON.stringify(outcome), team, routeId).changes === 1,
    );
  }

  async page(team: string, query: RecordQuery): Promise<readonly DecisionRecord[]> {
    const { fromMs, untilMs, agentName, newestFirst, limit } = query;
    const first = newestFirst ? { atMs: untilMs, routeId: '' } : { atMs: fromMs, routeId: '' };
    const { atMs, routeId } = query.after ?? first;
    const statements = newestFirst ? this.#statements.newestFirst : this.#statements.oldestFirst;
    const bound = newestFirst ? fromMs : untilMs;
    return this.#file.read(() => {
      const rows =
        agentName === undefined
          ? statements.page.all(team, atMs, routeId, bound, limit)
          : statements.pageOf.all(team, agentName, atMs, routeId, bound, limit);
      return (rows as Row[]).map(recordIn);
    });
  }

  async prune(team: string, beforeMs: number): Promise<boolean> {
    return this.#file.soon(() => {
      const { first, last } = this.#statements.ends.get() as { first: number | null; last: number | null };
      const tooMany = (last ?? 0) - (first ?? 0) + 1 - this.#most;
      const old = this.#statements.pruneOld.run(team, beforeMs, PRUNED).changes;
      const more = tooMany > 0 ? this.#statements.pruneFirst.run(Math.min(tooMany, PRUNED)).changes : 0;
      return old === PRUNED || more === PRUNED;
    });
  }
}

function preparePages(file: SqliteFile, inOrder: string) {
  return {
    page: file.prepare(`SELECT document, reported FROM decisions WHERE team = ? ${inOrder} LIMIT ?`),
    // By itself SQLite walks along the time here, past every decision for another agent.
    pageOf: file.prepare(`
      SELECT document, reported FROM decisions INDEXED BY decisions_by_agent
      WHERE team = ? AND target_agent = ? ${inOrder} LIMIT ?`),
  };
}

function prepareStatements(file: SqliteFile) {
  return {
    addSalt: file.prepare('INSERT INTO salts (team, salt) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    salt: file.prepare('SELECT salt FROM salts WHERE team = ?'),
    // A batch of which nobody knows whether it was written comes again.
    append: file.prepare(`
      INSERT INTO decisions (team, route_id, at_ms, target_agent, document, reported)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`),
    find: file.prepare('SELECT document, reported FROM decisions WHERE team = ? AND route_id = ?'),
    report: file.prepare(
      'UPDATE decisions SET reported = ? WHERE team = ? AND route_id = ? AND reported IS NULL',
    ),
    oldestFirst: preparePages(file, 'AND (at_ms, route_id) > (?, ?) AND at_ms < ? ORDER BY at_ms, route_id'),
    newestFirst: preparePages(
      file,
      'AND (at_ms, route_id) < (?, ?) AND at_ms >= ? ORDER BY at_ms DESC, route_id DESC',
    ),
    ends: file.prepare(
      'SELECT (SELECT min(seq) FROM decisions) AS first, (SELECT max(seq) FROM decisions) AS last',
    ),
    pruneOld: file.prepare(`
      DELETE FROM decisions WHERE seq IN (
        SELECT seq FROM decisions WHERE team = ? AND at_ms < ? ORDER BY at_ms LIMIT ?
      )`),
    pruneFirst: file.prepare(
      'DELETE FROM decisions WHERE seq IN (SELECT seq FROM decisions ORDER BY seq LIMIT ?)',
    ),
  };
}
