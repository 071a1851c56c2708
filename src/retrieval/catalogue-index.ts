import type { Embedder } from '../embedding/embedder.js';
import type { BySpace } from '../embedding/embedding-space.js';
import { slices } from '../manifest/slices.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import { CapabilityIndex, type PreparedCapability, prepareCapability } from './capability-index.js';
import { textsOf } from './capability-texts.js';
import { embedCapabilities, type Progress } from './embed-capabilities.js';
import { indexCapability } from './indexed-capability.js';
import type { SpaceIndex } from './space-index.js';

/** A model and where its vectors go. */
export interface IndexedSpace {
  readonly embedder: Embedder;
  readonly index: SpaceIndex;
}

/** Keeps the capability index in step with the catalogue: embeds before a change is stored, applies it when it counts. */
export class CatalogueIndex implements CatalogueFollower {
  readonly capabilities: CapabilityIndex;
  readonly #spaces: BySpace<IndexedSpace>;
  readonly #onProgress: Progress;
  readonly #prepared = new WeakMap<Agent, readonly PreparedCapability[]>();
  #version = 0;

  constructor(spaces: BySpace<IndexedSpace>, onProgress: Progress) {
    this.#spaces = spaces;
    this.#onProgress = onProgress;
    this.capabilities = new CapabilityIndex({ main: spaces.main.index, english: spaces.english?.index });
  }

  /** The version of the catalogue that the index stands at. */
  get version(): number {
    return this.#version;
  }

  async prepare(agents: readonly Agent[]): Promise<void> {
    const capabilities = agents.flatMap((agent) =>
      agent.manifest.capabilities.map((capability) => ({ agent, capability, texts: textsOf(capability) })),
    );
    const { main, english } = this.#spaces;
    const embedders = { main: main.embedder, english: english?.embedder };
    const vectors = await embedCapabilities(
      embedders,
      capabilities.map(({ texts }) => texts),
      this.#onProgress,
    );
    const prepared = new Map<Agent, PreparedCapability[]>(agents.map((agent) => [agent, []]));
    const pause = slices();
    for (const { agent, capability, texts } of capabilities) {
      prepared.get(agent)?.push(prepareCapability(indexCapability(agent, capability), texts, vectors(texts)));
      await pause();
    }
    for (const [agent, own] of prepared) this.#prepared.set(agent, own);
  }

  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const change of changes) {
      const gone = change.kind === 'removed' ? change.agent : change.before;
      for (const { id } of gone?.manifest.capabilities ?? []) {
        this.capabilities.remove(capabilityKey(gone?.manifest.agentName ?? '', id));
      }
      if (change.kind === 'published') {
        for (const prepared of this.#prepared.get(change.agent) ?? []) this.capabilities.add(prepared);
        // From here on the index holds the vectors.
        this.#prepared.delete(change.agent);
      }
    }
    this.#version = snapshot.version;
  }
}
