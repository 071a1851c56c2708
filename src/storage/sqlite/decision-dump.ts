import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { DecisionRecord } from '../../record/decision-record.js';
import { differs } from '../../record/shadow-verdict.js';
import type { DumpRow } from '../store-dump.js';
import { jsonFrom } from './errors.js';
import { DECISION_ROW, type DecisionRow } from './shadow-rows.js';
import type { SqliteFile } from './sqlite-file.js';

/** Decisions as a dump has them: with what was kept of them later, which their tallies have counted already. */
export class SqliteDecisionDump {
  readonly #file: SqliteFile;
  readonly #add: StatementSyncInstance;
  readonly #addShadow: StatementSyncInstance;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#add = file.prepare(`
      INSERT INTO decisions (team, route_id, at_ms, target_agent, document, reported)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
    this.#addShadow = file.prepare(`
      INSERT INTO shadows (seq, team, at_ms, route_id, differs, document) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`);
  }

  *dump(): Generator<DumpRow> {
    const select = this.#file.prepare(
      `${DECISION_ROW.replace('SELECT', 'SELECT decision.team,')} ORDER BY decision.team, decision.at_ms, decision.route_id`,
    );
    for (const columns of this.#file.rows(select)) {
      const { team, document, reported, shadow } = columns as DecisionRow & { readonly team: string };
      const later = (text: string | null) => (text === null ? null : this.#parsed<never>(text));
      const decided = this.#parsed<Omit<DecisionRecord, 'reported' | 'shadow'>>(document);
      yield { kind: 'decision', team, row: { ...decided, reported: later(reported), shadow: later(shadow) } };
    }
  }

  restore(team: string, { reported, shadow, ...decided }: DecisionRecord): void {
    const { routeId, atMs, targetAgent } = decided;
    const outcome = reported === null ? null : JSON.stringify(reported);
    const added = this.#add.run(team, routeId, atMs, targetAgent, JSON.stringify(decided), outcome);
    if (added.changes === 0 || shadow === null) return;
    const isOther = Number(differs(decided, shadow));
    this.#addShadow.run(added.lastInsertRowid, team, atMs, routeId, isOther, JSON.stringify(shadow));
  }

  #parsed<Value>(text: string): Value {
    return jsonFrom(this.#file.path, text, 'a decision');
  }
}
