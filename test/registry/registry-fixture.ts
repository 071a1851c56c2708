import type {
  Agent,
  CatalogueChange,
  CatalogueFollower,
  CatalogueSnapshot,
  CatalogueStore,
} from '../../src/registry/catalogue.js';
import type { PublishRules } from '../../src/registry/publish-plan.js';
import { Registry } from '../../src/registry/registry.js';
import { MemoryCatalogueStore } from '../../src/storage/memory/catalogue-store.js';

export type Document = Record<string, unknown>;

/** A small manifest; `name` of its one capability is the content that differs. */
export function manifestOf(
  agentName: string,
  version: number | undefined,
  name = 'Weekly summary',
): Document {
  return {
    agent_name: agentName,
    ...(version === undefined ? {} : { manifest_version: version }),
    capabilities: [{ id: 'summary', name, input_schema: { type: 'object', required: ['week'] } }],
  };
}

/** Keeps what it was told, and does what a test puts in the place of `onPrepare`. */
export class RecordingFollower implements CatalogueFollower {
  readonly prepared: (readonly Agent[])[] = [];
  readonly applied: { snapshot: CatalogueSnapshot; changes: readonly CatalogueChange[] }[] = [];
  onPrepare: (agents: readonly Agent[]) => Promise<void> = async () => {};
  onApply: (snapshot: CatalogueSnapshot) => void = () => {};

  async prepare(agents: readonly Agent[]): Promise<void> {
    this.prepared.push(agents);
    await this.onPrepare(agents);
  }

  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    this.applied.push({ snapshot, changes });
    this.onApply(snapshot);
  }
}

export interface LoadedRegistry {
  readonly registry: Registry;
  readonly store: CatalogueStore;
  readonly follower: RecordingFollower;
  readonly reports: string[];
}

/** As beside a watched folder, where manifests may break callers. */
export const RULES: PublishRules = { strictCompat: false, folderWatched: true };

export async function loadedRegistry(
  store: CatalogueStore = new MemoryCatalogueStore(),
  rules: Partial<PublishRules> = {},
): Promise<LoadedRegistry> {
  const reports: string[] = [];
  const registry = new Registry({
    store,
    team: 'default',
    rules: { ...RULES, ...rules },
    report: (message) => reports.push(message),
  });
  const follower = new RecordingFollower();
  registry.follow(follower);
  await registry.load();
  return { registry, store, follower, reports };
}
