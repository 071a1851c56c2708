import type { Weights } from '../../routing/weights.js';
import type { NewTuning, Shadow, TuningStore, TuningVersion } from '../../tuning/tuning-store.js';
import { jsonFrom } from './errors.js';
import type { SqliteFile } from './sqlite-file.js';

/** Versions that are kept, those that were rolled back included. */
export const VERSIONS_IN_FILE = 100;

interface VersionRow {
  readonly number: number;
  readonly rolled_back_at_ms: number | null;
  readonly summary: string;
}

interface WeightsRow {
  readonly weights: string;
}

interface ShadowRow extends WeightsRow {
  readonly since_ms: number;
}

/** Tuned weights in a SQLite file. As JSON text a NUL is an escape: SQLite would cut a bare one. */
export class SqliteTuningStore implements TuningStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#statements = prepareStatements(file);
  }

  async versions(team: string): Promise<readonly TuningVersion[]> {
    return this.#file.read(() => {
      const rows = this.#statements.versions.all(team) as VersionRow[];
      return rows.map(({ number, rolled_back_at_ms, summary }) => ({
        ...jsonFrom<Omit<TuningVersion, 'number' | 'rolledBackAtMs'>>(
          this.#file.path,
          summary,
          'a version of weights',
        ),
        number,
        rolledBackAtMs: rolled_back_at_ms,
      }));
    });
  }

  async weights(team: string, number: number): Promise<Weights | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.weights.get(team, number) as WeightsRow | undefined;
      return row && this.#weightsIn(row);
    });
  }

  async append(
    team: string,
    { weights, ...tuning }: NewTuning,
    top: number,
  ): Promise<TuningVersion | undefined> {
    const summary = JSON.stringify(tuning);
    const document = JSON.stringify(weights);
    return this.#file.transaction(() => {
      if (this.#top(team) !== top) return undefined;
      const { number } = this.#statements.append.get({ team, summary, document }) as { number: number };
      this.#statements.prune.run({ team, kept: VERSIONS_IN_FILE });
      return { ...tuning, number, rolledBackAtMs: null };
    });
  }

  async rollBack(team: string, top: number, atMs: number): Promise<boolean> {
    return this.#file.transaction(
      () => this.#top(team) === top && this.#statements.rollBack.run(atMs, team, top).changes === 1,
    );
  }

  async shadow(team: string): Promise<Shadow | null> {
    return this.#file.read(() => {
      const row = this.#statements.shadow.get(team) as ShadowRow | undefined;
      return row === undefined ? null : { weights: this.#weightsIn(row), sinceMs: row.since_ms };
    });
  }

  async setShadow(team: string, shadow: Shadow | null): Promise<void> {
    this.#file.transaction(() => {
      if (shadow === null) this.#statements.removeShadow.run(team);
      else this.#statements.setShadow.run(team, JSON.stringify(shadow.weights), shadow.sinceMs);
    });
  }

  #top(team: string): number {
    return (this.#statements.top.get(team) as { top: number }).top;
  }

  #weightsIn({ weights }: WeightsRow): Weights {
    return jsonFrom(this.#file.path, weights, 'a file of weights');
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    versions: file.prepare(`
      SELECT number, rolled_back_at_ms, summary FROM tuning_versions WHERE team = ? ORDER BY number DESC`),
    weights: file.prepare('SELECT weights FROM tuning_versions WHERE team = ? AND number = ?'),
    top: file.prepare(`
      SELECT coalesce(max(number), 0) AS top FROM tuning_versions
      WHERE team = ? AND rolled_back_at_ms IS NULL`),
    append: file.prepare(`
      INSERT INTO tuning_versions (team, number, summary, weights)
      VALUES (
        $team, (SELECT coalesce(max(number), 0) + 1 FROM tuning_versions WHERE team = $team), $summary, $document
      )
      RETURNING number`),
    prune: file.prepare(`
      DELETE FROM tuning_versions WHERE team = $team AND number IN (
        SELECT number FROM tuning_versions WHERE team = $team
        ORDER BY rolled_back_at_ms IS NULL DESC, number DESC LIMIT -1 OFFSET $kept
      )`),
    rollBack: file.prepare('UPDATE tuning_versions SET rolled_back_at_ms = ? WHERE team = ? AND number = ?'),
    shadow: file.prepare('SELECT weights, since_ms FROM shadow_weights WHERE team = ?'),
    setShadow: file.prepare(`
      INSERT INTO shadow_weights (team, weights, since_ms) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET weights = excluded.weights, since_ms = excluded.since_ms`),
    removeShadow: file.prepare('DELETE FROM shadow_weights WHERE team = ?'),
  };
}
