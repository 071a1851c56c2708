import type {
  CatalogueStore,
  ManifestVersion,
  NewestManifest,
  StoredManifest,
} from '../../registry/catalogue.js';
import { assertCurrentVersion, assertNotBehind } from '../version-conflict.js';
import { TeamVersions } from './team-versions.js';

/** A version as kept: the document as text, so that nobody outside can change what is stored. */
interface Entry extends Omit<ManifestVersion, 'current'> {
  readonly document: string;
}

interface Versions {
  /** Newest first. */
  readonly entries: readonly Entry[];
  readonly removed: boolean;
}

/**
 * Versions of an agent that are kept, the current one included. Few: a history that is gone with the process is
 * only there to take back a mistake, and a catalogue that changes all day must not fill the memory.
 */
export const KEPT_IN_MEMORY = 10;

const NEVER_SAVED: Versions = { entries: [], removed: true };

/** The catalogue for as long as the process lives. */
export class MemoryCatalogueStore implements CatalogueStore {
  readonly #versions: TeamVersions;
  /** By team and agent. */
  readonly #catalogues = new Map<string, Map<string, Versions>>();

  constructor(versions = new TeamVersions()) {
    this.#versions = versions;
  }

  async load(team: string): Promise<{ version: number; manifests: StoredManifest[] }> {
    const manifests = [...this.#agents(team)].flatMap(
      ([
        agentName,
        {
          entries: [newest],
          removed,
        },
      ]) => (newest === undefined || removed ? [] : [stored(agentName, newest)]),
    );
    return { version: this.#versions.current(team), manifests };
  }

  async newest(team: string, agentName: string): Promise<NewestManifest | undefined> {
    return newestOf(agentName, this.#saved(team, agentName));
  }

  async save(team: string, manifest: StoredManifest, expectedVersion: number | null): Promise<number> {
    const { agentName, manifestVersion, source } = manifest;
    const before = this.#saved(team, agentName);
    const newest = newestOf(agentName, before);
    assertCurrentVersion(agentName, newest, expectedVersion);
    assertNotBehind(agentName, newest, manifestVersion);
    const catalogueVersion = this.#versions.next(team);
    const document = JSON.stringify(manifest.document);
    const entry = { manifestVersion, source, publishedAtMs: Date.now(), catalogueVersion, document };
    const older = before.entries.filter((each) => each.manifestVersion !== manifestVersion);
    this.#agents(team).set(agentName, {
      entries: [entry, ...older].slice(0, KEPT_IN_MEMORY),
      removed: false,
    });
    return catalogueVersion;
  }

  async remove(team: string, agentName: string, expectedVersion: number): Promise<number> {
    const before = this.#saved(team, agentName);
    assertCurrentVersion(agentName, newestOf(agentName, before), expectedVersion);
    this.#agents(team).set(agentName, { ...before, removed: true });
    return this.#versions.next(team);
  }

  async history(team: string, agentName: string, limit: number): Promise<readonly ManifestVersion[]> {
    const { entries, removed } = this.#saved(team, agentName);
    return entries.slice(0, limit).map(({ document: _, ...version }, index) => ({
      ...version,
      current: index === 0 && !removed,
    }));
  }

  async version(
    team: string,
    agentName: string,
    manifestVersion: number,
  ): Promise<StoredManifest | undefined> {
    const { entries } = this.#saved(team, agentName);
    const entry = entries.find((each) => each.manifestVersion === manifestVersion);
    return entry && stored(agentName, entry);
  }

  #saved(team: string, agentName: string): Versions {
    return this.#agents(team).get(agentName) ?? NEVER_SAVED;
  }

  #agents(team: string): Map<string, Versions> {
    let agents = this.#catalogues.get(team);
    if (agents === undefined) {
      agents = new Map();
      this.#catalogues.set(team, agents);
    }
    return agents;
  }
}

function stored(agentName: string, entry: Entry): StoredManifest {
  const { manifestVersion, source } = entry;
  return { agentName, manifestVersion, source, document: JSON.parse(entry.document) };
}

function newestOf(agentName: string, { entries, removed }: Versions): NewestManifest | undefined {
  const [newest] = entries;
  return newest && { manifest: stored(agentName, newest), removed };
}
