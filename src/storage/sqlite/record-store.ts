import { randomBytes } from 'node:crypto';
import type { DecisionRecord } from '../../record/decision-record.js';
import type {
  DifferingQuery,
  OutcomeRecord,
  RecordQuery,
  RecordStore,
  ShadowTally,
} from '../../record/record-store.js';
import type { ShadowVerdict } from '../../record/shadow-verdict.js';
import { DECISION_ROW, type DecisionRow, SqliteShadowRows } from './shadow-rows.js';
import type { SqliteFile } from './sqlite-file.js';

/** Decisions that are kept in a file: with some 2 KB each, 10 GB. */
const RECORDS_IN_FILE = 5_000_000;
/** Rows that are let go of before others have their turn. */
const PRUNED = 500;

const parsed = (json: string | null) => (json === null ? null : JSON.parse(json));

function recordIn({ document, reported, shadow }: DecisionRow): DecisionRecord {
  return { ...JSON.parse(document), reported: parsed(reported), shadow: parsed(shadow) };
}

/** Decisions in a SQLite file. */
export class SqliteRecordStore implements RecordStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #shadows: SqliteShadowRows;
  readonly #most: number;

  /** `most`: how many are kept, of all teams together. */
  constructor(file: SqliteFile, most = RECORDS_IN_FILE) {
    this.#file = file;
    this.#statements = prepareStatements(file);
    this.#shadows = new SqliteShadowRows(file);
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
      for (const { reported, shadow, ...record } of records) {
        const { routeId, atMs, targetAgent } = record;
        // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
        const document = JSON.stringify(record);
        const outcome = reported === null ? null : JSON.stringify(reported);
        const args = [team, routeId, atMs, targetAgent, document, outcome] as const;
        const { changes, lastInsertRowid: seq } = this.#statements.append.run(...args);
        if (changes === 1 && shadow !== null) this.#shadows.add(team, seq, record, shadow);
      }
    });
  }

  async find(team: string, routeId: string): Promise<DecisionRecord | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.find.get(team, routeId) as DecisionRow | undefined;
      return row && recordIn(row);
    });
  }

  async report(team: string, routeId: string, outcome: OutcomeRecord): Promise<boolean> {
    return this.#file.soon(
      () => this.#statements.report.run(JSON.stringify(outcome), team, routeId).changes === 1,
    );
  }

  async keepShadow(team: string, routeId: string, shadow: ShadowVerdict): Promise<boolean> {
    return this.#file.soon(() => this.#shadows.addTo(team, routeId, shadow));
  }

  async shadowTallies(team: string, fromMs: number): Promise<readonly ShadowTally[]> {
    return this.#file.read(() => this.#shadows.tallies(team, fromMs));
  }

  async differing(team: string, query: DifferingQuery): Promise<readonly DecisionRecord[]> {
    return this.#file.read(() => this.#shadows.differing(team, query).map(recordIn));
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
      return (rows as DecisionRow[]).map(recordIn);
    });
  }

  async prune(team: string, beforeMs: number): Promise<boolean> {
    return this.#file.soon(() => {
      const { first, last } = this.#statements.ends.get() as { first: number | null; last: number | null };
      const tooMany = (last ?? 0) - (first ?? 0) + 1 - this.#most;
      this.#shadows.pruneTallies(team, beforeMs);
      const old = this.#statements.pruneOld.run(team, beforeMs, PRUNED).changes;
      const more = tooMany > 0 ? this.#statements.pruneFirst.run(Math.min(tooMany, PRUNED)).changes : 0;
      return old === PRUNED || more === PRUNED;
    });
  }
}

function preparePages(file: SqliteFile, inOrder: string) {
  return {
    page: file.prepare(`${DECISION_ROW} WHERE decision.team = ? ${inOrder} LIMIT ?`),
    // By itself SQLite walks along the time here, past every decision for another agent.
    pageOf: file.prepare(`
      ${DECISION_ROW.replace('AS decision', 'AS decision INDEXED BY decisions_by_agent')}
      WHERE decision.team = ? AND decision.target_agent = ? ${inOrder} LIMIT ?`),
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
    find: file.prepare(`${DECISION_ROW} WHERE decision.team = ? AND decision.route_id = ?`),
    report: file.prepare(
      'UPDATE decisions SET reported = ? WHERE team = ? AND route_id = ? AND reported IS NULL',
    ),
    oldestFirst: preparePages(
      file,
      `AND (decision.at_ms, decision.route_id) > (?, ?) AND decision.at_ms < ?
      ORDER BY decision.at_ms, decision.route_id`,
    ),
    newestFirst: preparePages(
      file,
      `AND (decision.at_ms, decision.route_id) < (?, ?) AND decision.at_ms >= ?
      ORDER BY decision.at_ms DESC, decision.route_id DESC`,
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
