import type { Embedder } from '../embedding/embedder.js';
import type { BySpace } from '../embedding/embedding-space.js';
import { slices } from '../manifest/slices.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import type { CallEnd } from '../running-calls.js';
import { capabilityKey } from '../wire/capability-key.js';
import { CapabilityIndex, type PreparedCapability, prepareCapability } from './capability-index.js';
import { textsOf } from './capability-texts.js';
import { embedCapabilities, type Progress } from './embed-capabilities.js';
import { ExactVectorIndex } from './exact-vector-index.js';
import { indexCapability } from './indexed-capability.js';
import { SpaceIndex } from './space-index.js';

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

  /** `end`: when the embedding ends early. */
  async prepare(agents: readonly Agent[], end: Partial<CallEnd> = {}): Promise<void> {
    const capabilities = agents.flatMap((agent) =>
      agent.manifest.capabilities.map((capability) => ({ agent, capability, texts: textsOf(capability) })),
    );
    const { main, english } = this.#spaces;
    const embedders = { main: main.embedder, english: english?.embedder };
    const vectors = await embedCapabilities(
      embedders,
      capabilities.map(({ texts }) => texts),
      this.#onProgress,
      end,
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
    const steps = this.#steps(changes);
    while (!steps.next().done);
    this.#version = snapshot.version;
  }

  /** The same with pauses: for an index that nobody reads meanwhile. */
  async applyInSlices(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): Promise<void> {
    const pause = slices();
    for (const _ of this.#steps(changes)) await pause();
    this.#version = snapshot.version;
  }

  /**
   * An index of its own of what this one holds, to which other changes can be applied, made with pauses: what changes
   * meanwhile may be in it or not. Its vectors are compared one by one.
   */
  async copy({ signal }: CallEnd): Promise<CatalogueIndex> {
    const { main, english } = this.#spaces;
    const empty = ({ embedder }: IndexedSpace): IndexedSpace => {
      const { dim } = embedder.model;
      return { embedder, index: new SpaceIndex(new ExactVectorIndex(dim), dim) };
    };
    const copy = new CatalogueIndex({ main: empty(main), english: english && empty(english) }, () => {});
    const pause = slices();
    for (const key of this.capabilities.keys()) {
      const prepared = this.capabilities.prepared(key);
      if (prepared !== undefined) copy.capabilities.add(prepared);
      await pause();
      signal.throwIfAborted();
    }
    copy.#version = this.#version;
    return copy;
  }

  /** A capability a step. */
  *#steps(changes: readonly CatalogueChange[]): Generator<void> {
    for (const change of changes) {
      const gone = change.kind === 'removed' ? change.agent : change.before;
      for (const { id } of gone?.manifest.capabilities ?? []) {
        yield this.capabilities.remove(capabilityKey(gone?.manifest.agentName ?? '', id));
      }
      if (change.kind === 'published') {
        for (const prepared of this.#prepared.get(change.agent) ?? []) yield this.capabilities.add(prepared);
        // From here on the index holds the vectors.
        this.#prepared.delete(change.agent);
      }
    }
  }
}
