import type { VectorStore } from '../embedding/embedder.js';
import { LruMap } from '../lru-map.js';
import type {
  CatalogueStore,
  ManifestSource,
  NewestManifest,
  StoredManifest,
} from '../registry/catalogue.js';
import { assertCurrentVersion, assertNotBehind } from './version-conflict.js';

/** A manifest as kept: the document as text, so that nobody outside can change what is stored. */
interface Entry {
  readonly manifestVersion: number;
  readonly source: ManifestSource;
  readonly document: string;
  readonly removed: boolean;
}

interface Catalogue {
  version: number;
  readonly entries: Map<string, Entry>;
}

/** The catalogue for as long as the process lives. */
export class MemoryCatalogueStore implements CatalogueStore {
  readonly #catalogues = new Map<string, Catalogue>();

  async load(team: string): Promise<{ version: number; manifests: StoredManifest[] }> {
    const { version, entries } = this.#catalogue(team);
    const current = [...entries].filter(([, entry]) => !entry.removed);
    return { version, manifests: current.map(([agentName, entry]) => stored(agentName, entry)) };
  }

  async newest(team: string, agentName: string): Promise<NewestManifest | undefined> {
    return newestOf(this.#catalogue(team), agentName);
  }

  async save(team: string, manifest: StoredManifest, expectedVersion: number | null): Promise<number> {
    const { agentName, manifestVersion, source } = manifest;
    const catalogue = this.#catalogue(team);
    const newest = newestOf(catalogue, agentName);
    assertCurrentVersion(agentName, newest, expectedVersion);
    assertNotBehind(agentName, newest, manifestVersion);
    const document = JSON.stringify(manifest.document);
    catalogue.entries.set(agentName, { manifestVersion, source, document, removed: false });
    return ++catalogue.version;
  }

  async remove(team: string, agentName: string, expectedVersion: number): Promise<number> {
    const catalogue = this.#catalogue(team);
    assertCurrentVersion(agentName, newestOf(catalogue, agentName), expectedVersion);
    const entry = catalogue.entries.get(agentName);
    if (entry !== undefined) catalogue.entries.set(agentName, { ...entry, removed: true });
    return ++catalogue.version;
  }

  #catalogue(team: string): Catalogue {
    let catalogue = this.#catalogues.get(team);
    if (catalogue === undefined) {
      catalogue = { version: 0, entries: new Map() };
      this.#catalogues.set(team, catalogue);
    }
    return catalogue;
  }
}

function stored(agentName: string, entry: Entry): StoredManifest {
  const { manifestVersion, source } = entry;
  return { agentName, manifestVersion, source, document: JSON.parse(entry.document) };
}

function newestOf(catalogue: Catalogue, agentName: string): NewestManifest | undefined {
  const entry = catalogue.entries.get(agentName);
  return entry && { manifest: stored(agentName, entry), removed: entry.removed };
}

/** Of 384 numbers each these take about 150 MB. Without a bound, every text that was ever published would stay. */
const MAX_VECTORS = 100_000;

/** Vectors for as long as the process lives; those that were asked for longest ago go first. */
export class MemoryVectorStore implements VectorStore {
  /** By model hash and text hash. */
  readonly #vectors: LruMap<string, Float32Array>;

  constructor(maxVectors = MAX_VECTORS) {
    this.#vectors = new LruMap(maxVectors);
  }

  async getMany(modelHash: string, textHashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    for (const textHash of textHashes) {
      const vector = this.#vectors.get(`${modelHash} ${textHash}`);
      if (vector !== undefined) found.set(textHash, vector.slice());
    }
    return found;
  }

  async putMany(modelHash: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    for (const [textHash, vector] of vectors) {
      this.#vectors.set(`${modelHash} ${textHash}`, vector.slice());
    }
  }
}
