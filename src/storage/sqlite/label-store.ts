import type { LabelQuery, LabelStore } from '../../labels/label-store.js';
import { isWritten, type StoredLabel } from '../../labels/stored-label.js';
import { LIMITS } from '../../wire/limits.js';
import { jsonFrom } from './errors.js';
import type { SqliteFile } from './sqlite-file.js';

interface Row {
  readonly document: string;
}

/** Labels in a SQLite file. */
export class SqliteLabelStore implements LabelStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #most: number;

  /** `most`: how many of a team are kept: with some 500 bytes each, 50 MB. */
  constructor(file: SqliteFile, most: number = LIMITS.labels) {
    this.#file = file;
    this.#statements = prepareStatements(file);
    this.#most = most;
  }

  async add(team: string, labels: readonly StoredLabel[]): Promise<number | 'full'> {
    const { isThere, save, letGo } = this.#statements;
    return this.#file.transaction(() => {
      const fresh = labels.filter(({ labelId }) => isThere.get(team, labelId) === undefined);
      const written = this.#count(team, true) + fresh.filter(isWritten).length;
      if (written > this.#most) return 'full';
      for (const label of labels) {
        const { labelId, atMs, source } = label;
        // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
        save.run(team, labelId, atMs, source, Number(isWritten(label)), JSON.stringify(label));
      }
      const tooMany = this.#count(team, true) + this.#count(team, false) - this.#most;
      if (tooMany > 0) letGo.run(team, tooMany);
      return fresh.length;
    });
  }

  async remove(team: string, labelId: string): Promise<boolean> {
    return this.#file.transaction(() => this.#statements.remove.run(team, labelId).changes === 1);
  }

  async page(team: string, query: LabelQuery): Promise<readonly StoredLabel[]> {
    const { source = null, fromMs, after = { atMs: fromMs, labelId: '' }, limit } = query;
    return this.#file.read(() => {
      const rows = this.#statements.page.all(team, after.atMs, after.labelId, source, limit);
      return (rows as Row[]).map(({ document }) => jsonFrom(this.#file.path, document, 'a label'));
    });
  }

  #count(team: string, areWritten: boolean): number {
    return (this.#statements.count.get(team, Number(areWritten)) as { count: number }).count;
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    isThere: file.prepare('SELECT 1 FROM labels WHERE team = ? AND label_id = ?'),
    count: file.prepare('SELECT count(*) AS count FROM labels WHERE team = ? AND is_written = ?'),
    save: file.prepare(`
      INSERT INTO labels (team, label_id, at_ms, source, is_written, document) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, document = excluded.document`),
    letGo: file.prepare(`
      DELETE FROM labels WHERE rowid IN (
        SELECT rowid FROM labels WHERE team = ? AND is_written = 0 ORDER BY at_ms, label_id LIMIT ?
      )`),
    remove: file.prepare('DELETE FROM labels WHERE team = ? AND label_id = ?'),
    page: file.prepare(`
      SELECT document FROM labels
      WHERE team = ? AND (at_ms, label_id) > (?, ?) AND source = coalesce(?, source)
      ORDER BY at_ms, label_id LIMIT ?`),
  };
}
