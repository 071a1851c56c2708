import type { SqliteFile } from './sqlite-file.js';

/** Counts a team's changes, inside the transaction of each: its catalogue and its addresses in one sequence. */
export function prepareNextVersion(file: SqliteFile): (team: string) => number {
  const advance = file.prepare(`
    INSERT INTO catalogues (team, version) VALUES (?, 1)
    ON CONFLICT DO UPDATE SET version = version + 1 RETURNING version`);
  return (team) => (advance.get(team) as { version: number }).version;
}
