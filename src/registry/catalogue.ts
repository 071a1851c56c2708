import type { PayloadValidators } from '../manifest/payload-validators.js';
import type { Manifest, ManifestDocument } from '../manifest/schema.js';

/** Who owns an agent's manifest: a caller of the API, or a watched folder. */
export type ManifestSource = 'api' | 'folder';

/** An agent as the catalogue holds it. Immutable. */
export interface Agent {
  readonly manifest: Manifest;
  /** The manifest as its team wrote it. */
  readonly document: ManifestDocument;
  readonly source: ManifestSource;
  readonly validators: PayloadValidators;
}

/** Everything that exists at one moment. Immutable; `version` grows with every change and survives restarts. */
export interface CatalogueSnapshot {
  readonly version: number;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** One change of the catalogue. */
export type CatalogueChange =
  | { readonly kind: 'published'; readonly agent: Agent; readonly before: Agent | undefined }
  | { readonly kind: 'removed'; readonly agent: Agent };

/**
 * Whoever must be ready before a change counts: `prepare` runs before it is stored (a throw refuses the
 * change), `apply` synchronously with the moment in which the new snapshot becomes the current one, and must
 * not throw. The agents of `changes` are the very objects that were prepared.
 */
export interface CatalogueFollower {
  prepare(agents: readonly Agent[]): Promise<void>;
  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void;
}

/** A manifest as it is stored. */
export interface StoredManifest {
  readonly agentName: string;
  readonly manifestVersion: number;
  readonly source: ManifestSource;
  readonly document: ManifestDocument;
}

/** What is known of an agent's newest manifest: a removed agent is remembered, so that versions never go back. */
export interface NewestManifest {
  readonly manifest: StoredManifest;
  readonly removed: boolean;
}

/** A kept version of an agent's manifest, without its document. */
export interface ManifestVersion {
  readonly manifestVersion: number;
  readonly source: ManifestSource;
  /** Wall time in ms since the epoch, of the last time that it became the current one. */
  readonly publishedAtMs: number;
  /** The catalogue's version from that moment on; null where it was stored before that was noted. */
  readonly catalogueVersion: number | null;
  /** Whether it serves now; no version of a removed agent does. */
  readonly current: boolean;
}

/** Where the catalogue is kept. A port; `storage/` implements it. Every write is durable when its promise resolves. */
export interface CatalogueStore {
  /** The newest manifest of every agent of the team, and the catalogue's version (0 where nothing was ever saved). */
  load(team: string): Promise<{ version: number; manifests: StoredManifest[] }>;
  /** The newest manifest that was ever saved of an agent, also where the agent was removed since. */
  newest(team: string, agentName: string): Promise<NewestManifest | undefined>;
  /**
   * Saves a manifest if the stored version of the agent is still `expectedVersion` (null: never stored, or
   * removed). Returns the catalogue's new version. Of the agent's versions the newest are kept, as many as the
   * adapter says; the others go in the same step.
   * @throws ReachError MANIFEST_VERSION_STALE where it is not, or where a higher version was ever saved.
   */
  save(team: string, manifest: StoredManifest, expectedVersion: number | null): Promise<number>;
  /** Removes an agent under the same condition. Returns the catalogue's new version. */
  remove(team: string, agentName: string, expectedVersion: number): Promise<number>;
  /** The kept versions of an agent, also of a removed one, newest first; none where it was never saved. */
  history(team: string, agentName: string, limit: number): Promise<readonly ManifestVersion[]>;
  /** One kept version of an agent, also of a removed one. */
  version(team: string, agentName: string, manifestVersion: number): Promise<StoredManifest | undefined>;
}
