import type { DecisionRecord } from '../../record/decision-record.js';
import type { DifferingQuery, ShadowTally } from '../../record/record-store.js';
import { differs, type ShadowVerdict } from '../../record/shadow-verdict.js';
import { startOf } from '../../record/trend-store.js';
import type { SqliteFile } from './sqlite-file.js';

/** What of a decision its shadow is kept with. */
type Decided = Omit<DecisionRecord, 'reported' | 'shadow'>;

/** A row of `decisions` with what came later. */
export interface DecisionRow {
  readonly document: string;
  readonly reported: string | null;
  readonly shadow: string | null;
}

/** The columns of a DecisionRow, of `decisions` as `decision`. */
export const DECISION_ROW = `
  SELECT decision.document, decision.reported, shadow.document AS shadow
  FROM decisions AS decision LEFT JOIN shadows AS shadow ON shadow.seq = decision.seq`;

/** The shadows of decisions in their file. Whoever calls this has a transaction or a reading open. */
export class SqliteShadowRows {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#statements = prepareStatements(file);
  }

  add(team: string, seq: number | bigint, decided: Decided, shadow: ShadowVerdict): boolean {
    const { atMs, routeId, weightsVersion } = decided;
    const isOther = Number(differs(decided, shadow));
    const { add, count } = this.#statements;
    if (add.run(seq, team, atMs, routeId, isOther, JSON.stringify(shadow)).changes === 0) return false;
    count.run(team, startOf('hour', atMs), weightsVersion, shadow.weightsVersion, isOther);
    return true;
  }

  addTo(team: string, routeId: string, shadow: ShadowVerdict): boolean {
    const row = this.#statements.find.get(team, routeId) as { seq: number; document: string } | undefined;
    return row !== undefined && this.add(team, row.seq, JSON.parse(row.document), shadow);
  }

  tallies(team: string, fromMs: number): ShadowTally[] {
    return this.#statements.tallies.all(team, fromMs) as ShadowTally[];
  }

  differing(team: string, { fromMs, before, limit }: DifferingQuery): DecisionRow[] {
    const { atMs, routeId } = before ?? { atMs: Number.MAX_SAFE_INTEGER, routeId: '' };
    return this.#statements.differing.all(team, fromMs, atMs, routeId, limit) as DecisionRow[];
  }

  pruneTallies(team: string, beforeMs: number): void {
    this.#statements.prune.run(team, startOf('hour', beforeMs));
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    add: file.prepare(`
      INSERT INTO shadows (seq, team, at_ms, route_id, differs, document) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    count: file.prepare(`
      INSERT INTO shadow_tallies VALUES (?, ?, ?, ?, 1, ?)
      ON CONFLICT DO UPDATE SET compared = compared + 1, differing = differing + excluded.differing`),
    find: file.prepare('SELECT seq, document FROM decisions WHERE team = ? AND route_id = ?'),
    tallies: file.prepare(`
      SELECT hour_ms AS hourMs, weights_version AS weightsVersion, shadow_version AS shadowVersion, compared, differing
      FROM shadow_tallies WHERE team = ? AND hour_ms >= ?`),
    differing: file.prepare(`
      ${DECISION_ROW.replace('LEFT JOIN', 'JOIN')}
      WHERE shadow.team = ? AND shadow.differs AND shadow.at_ms >= ? AND (shadow.at_ms, shadow.route_id) < (?, ?)
      ORDER BY shadow.at_ms DESC, shadow.route_id DESC LIMIT ?`),
    prune: file.prepare('DELETE FROM shadow_tallies WHERE team = ? AND hour_ms < ?'),
  };
}
