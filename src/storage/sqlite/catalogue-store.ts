import type {
  CatalogueStore,
  ManifestSource,
  ManifestVersion,
  NewestManifest,
  StoredManifest,
} from '../../registry/catalogue.js';
import { assertCurrentVersion, assertNotBehind } from '../version-conflict.js';
import { jsonFrom } from './errors.js';
import type { SqliteFile } from './sqlite-file.js';
import { prepareNextVersion } from './team-versions.js';

interface ManifestRow {
  readonly agent_name: string;
  readonly manifest_version: number;
  readonly source: ManifestSource;
  readonly document: string;
}

interface NewestRow extends ManifestRow {
  readonly removed: 0 | 1;
}

interface VersionRow {
  readonly manifest_version: number;
  readonly source: ManifestSource;
  readonly published_at_ms: number;
  readonly catalogue_version: number | null;
  readonly current: 0 | 1;
}

/** Versions of an agent that are kept, the current one included. */
export const KEPT_IN_FILE = 100;

/** The catalogue in a SQLite file, with the history of each agent. */
export class SqliteCatalogueStore implements CatalogueStore {
  readonly #file: SqliteFile;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #nextVersion: (team: string) => number;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#statements = prepareStatements(file);
    this.#nextVersion = prepareNextVersion(file);
  }

  async load(team: string): Promise<{ version: number; manifests: StoredManifest[] }> {
    return this.#file.read(() => {
      const catalogue = this.#statements.version.get(team) as { version: number } | undefined;
      const rows = this.#statements.current.all(team) as ManifestRow[];
      return { version: catalogue?.version ?? 0, manifests: rows.map((row) => this.#stored(row)) };
    });
  }

  async newest(team: string, agentName: string): Promise<NewestManifest | undefined> {
    return this.#file.read(() => this.#newest(team, agentName));
  }

  async save(team: string, manifest: StoredManifest, expectedVersion: number | null): Promise<number> {
    const { agentName, manifestVersion, source } = manifest;
    // As JSON text a NUL is an escape: SQLite would cut a bare one and all that follows it.
    const document = JSON.stringify(manifest.document);
    return this.#file.transaction(() => {
      const newest = this.#newest(team, agentName);
      assertCurrentVersion(agentName, newest, expectedVersion);
      assertNotBehind(agentName, newest, manifestVersion);
      const version = this.#nextVersion(team);
      this.#statements.save.run(team, agentName, manifestVersion, source, document, version);
      this.#statements.point.run(team, agentName, manifestVersion);
      this.#statements.prune.run({ team, agentName, kept: KEPT_IN_FILE });
      return version;
    });
  }

  async remove(team: string, agentName: string, expectedVersion: number): Promise<number> {
    return this.#file.transaction(() => {
      assertCurrentVersion(agentName, this.#newest(team, agentName), expectedVersion);
      this.#statements.unpoint.run(team, agentName);
      return this.#nextVersion(team);
    });
  }

  async history(team: string, agentName: string, limit: number): Promise<readonly ManifestVersion[]> {
    return this.#file.read(() => {
      const rows = this.#statements.history.all(team, agentName, limit) as VersionRow[];
      return rows.map((row) => ({
        manifestVersion: row.manifest_version,
        source: row.source,
        publishedAtMs: row.published_at_ms,
        catalogueVersion: row.catalogue_version,
        current: row.current === 1,
      }));
    });
  }

  async version(
    team: string,
    agentName: string,
    manifestVersion: number,
  ): Promise<StoredManifest | undefined> {
    return this.#file.read(() => {
      const row = this.#statements.one.get(team, agentName, manifestVersion) as ManifestRow | undefined;
      return row && this.#stored(row);
    });
  }

  #newest(team: string, agentName: string): NewestManifest | undefined {
    const row = this.#statements.newest.get(team, agentName) as NewestRow | undefined;
    return (
      row && {
        manifest: this.#stored(row),
        removed: row.removed === 1,
      }
    );
  }

  #stored(row: ManifestRow): StoredManifest {
    return {
      agentName: row.agent_name,
      manifestVersion: row.manifest_version,
      source: row.source,
      document: jsonFrom(this.#file.path, row.document, `the manifest of ${row.agent_name}`),
    };
  }
}

function prepareStatements(file: SqliteFile) {
  return {
    version: file.prepare('SELECT version FROM catalogues WHERE team = ?'),
    current: file.prepare(`
      SELECT agent_name, manifest_version, source, document
      FROM current_manifests JOIN manifests USING (team, agent_name, manifest_version)
      WHERE team = ? ORDER BY agent_name`),
    newest: file.prepare(`
      SELECT agent_name, manifest_version, source, document,
        NOT EXISTS (
          SELECT 1 FROM current_manifests WHERE team = manifests.team AND agent_name = manifests.agent_name
        ) AS removed
      FROM manifests
      WHERE team = ? AND agent_name = ? ORDER BY manifest_version DESC LIMIT 1`),
    save: file.prepare(`
      INSERT INTO manifests (team, agent_name, manifest_version, source, document, catalogue_version)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET source = excluded.source, document = excluded.document,
        published_at_ms = excluded.published_at_ms, catalogue_version = excluded.catalogue_version`),
    prune: file.prepare(`
      DELETE FROM manifests
      WHERE team = $team AND agent_name = $agentName AND manifest_version <= (
        SELECT manifest_version FROM manifests WHERE team = $team AND agent_name = $agentName
        ORDER BY manifest_version DESC LIMIT 1 OFFSET $kept
      )`),
    history: file.prepare(`
      SELECT manifest_version, source, published_at_ms, catalogue_version,
        current_manifests.manifest_version IS NOT NULL AS current
      FROM manifests LEFT JOIN current_manifests USING (team, agent_name, manifest_version)
      WHERE team = ? AND agent_name = ? ORDER BY manifest_version DESC LIMIT ?`),
    one: file.prepare(`
      SELECT agent_name, manifest_version, source, document FROM manifests
      WHERE team = ? AND agent_name = ? AND manifest_version = ?`),
    point: file.prepare(`
      INSERT INTO current_manifests (team, agent_name, manifest_version) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET manifest_version = excluded.manifest_version`),
    unpoint: file.prepare('DELETE FROM current_manifests WHERE team = ? AND agent_name = ?'),
  };
}
