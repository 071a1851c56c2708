import { asReachError } from '../errors.js';
import { restoreManifest } from '../manifest/parse-manifest.js';
import type { Agent, CatalogueStore, StoredManifest } from './catalogue.js';
import { LiveCatalogue } from './live-catalogue.js';
import { storedForm } from './publish-plan.js';
import { sameContent } from './same-content.js';
import { Turns } from './turns.js';

export interface CatalogueCommitsParts {
  readonly store: CatalogueStore;
  readonly team: string;
  /** Told, in one sentence, of a manifest that cannot serve; the others do. */
  readonly report: (message: string) => void;
  /**
   * Where other processes change the store too: resolves when all that was changed there so far, by us as well, has been
   * handed to `takeOver`.
   */
  readonly catchUp?: (() => Promise<void>) | undefined;
}

/** Every commit takes this turn, whatever its agent. */
const COMMIT = ['commit'];

/**
 * The one way into the live catalogue: what has been prepared is stored, and counts from then on. Where other processes
 * have the same store, its feed says in which order all changes count, ours too.
 *
 * ```
 * commit ─ store ─┐
 * other replicas ─┴─ feed ─ turn of all commits: prepare ─ exchange + apply
 * ```
 */
export class CatalogueCommits {
  readonly live = new LiveCatalogue();
  readonly #parts: CatalogueCommitsParts;
  readonly #turns = new Turns();
  /** What we have prepared and stored, and were not told of by the feed yet. */
  readonly #ours = new Map<string, Agent>();

  constructor(parts: CatalogueCommitsParts) {
    this.#parts = parts;
  }

  /** Becomes what is stored now. @throws ReachError STORE_UNAVAILABLE, and whatever a follower's `prepare` throws */
  load(): Promise<void> {
    return this.#becomeStored(async (agents) => {
      await this.live.prepare(agents);
      return agents;
    });
  }

  /**
   * The same of a catalogue that serves: what is as it was stays untouched, what is not there any more goes, and what a
   * follower cannot prepare is reported and stays as it was.
   * @throws ReachError STORE_UNAVAILABLE, or what may be over at the next try: nothing has changed then
   */
  reload(): Promise<void> {
    return this.#becomeStored((agents) => this.#preparable(agents));
  }

  /**
   * Becomes what the store's feed tells: these agents with these versions of their manifests (undefined: removed). Where a
   * follower cannot prepare one, that is reported, and it stays as it was. What is in the catalogue already changes nothing.
   * @throws ReachError STORE_UNAVAILABLE, or what may be over at the next try: nothing has changed then
   */
  takeOver(versions: ReadonlyMap<string, number | undefined>, version: number): Promise<void> {
    return this.#turns.take(COMMIT, async () => {
      if (version <= this.live.snapshot.version) return;
      const found = await Promise.all(Array.from(versions, (named) => this.#foundAt(...named)));
      const next = found.filter((agent) => agent !== undefined);
      const agents = new Map(this.live.snapshot.agents);
      for (const agentName of versions.keys()) agents.delete(agentName);
      for (const agent of await this.#preparable(next)) agents.set(agent.manifest.agentName, agent);
      for (const agentName of versions.keys()) this.#ours.delete(agentName);
      this.live.become(version, agents);
    });
  }

  /** Stores an agent that has been prepared; it serves when this resolves. Returns the catalogue's new version. @throws ReachError MANIFEST_VERSION_STALE, STORE_UNAVAILABLE */
  async commit(agent: Agent, expectedVersion: number | null): Promise<number> {
    const { store, team, catchUp } = this.#parts;
    const { agentName } = agent.manifest;
    // The feed may tell of it before we hear that it is stored.
    if (catchUp !== undefined) this.#ours.set(agentName, agent);
    try {
      return await this.#count(
        () => store.save(team, storedForm(agent), expectedVersion),
        (agents) => agents.set(agentName, agent),
      );
    } catch (thrown) {
      this.#ours.delete(agentName);
      throw thrown;
    }
  }

  /** Removes an agent in the same way. @throws ReachError as commit */
  async remove({ manifest: { agentName, manifestVersion } }: Agent): Promise<number> {
    const { store, team } = this.#parts;
    return this.#count(
      () => store.remove(team, agentName, manifestVersion),
      (agents) => agents.delete(agentName),
    );
  }

  /** Stores a change, and lets it count: by the feed where there is one, else at once by `change`. */
  async #count(write: () => Promise<number>, change: (agents: Map<string, Agent>) => void): Promise<number> {
    const { catchUp } = this.#parts;
    if (catchUp !== undefined) {
      const version = await write();
      await this.#told(catchUp);
      return version;
    }
    return this.#turns.take(COMMIT, async () => {
      const version = await write();
      const agents = new Map(this.live.snapshot.agents);
      change(agents);
      this.live.become(version, agents);
      return version;
    });
  }

  #becomeStored(ready: (agents: readonly Agent[]) => Promise<readonly Agent[]>): Promise<void> {
    return this.#turns.take(COMMIT, async () => {
      const { version, manifests } = await this.#parts.store.load(this.#parts.team);
      const agents = await ready(manifests.flatMap((stored) => this.#agentOf(stored) ?? []));
      this.#ours.clear();
      this.live.become(version, byName(agents));
    });
  }

  /** What is stored is stored: where the store goes away before the feed has told of it, that comes with its return. */
  async #told(catchUp: () => Promise<void>): Promise<void> {
    await catchUp().catch((thrown: unknown) =>
      this.#parts.report(`A change is stored and does not serve yet: ${asReachError(thrown).message}`),
    );
  }

  /** What serves already where it is the same, else what is made of the manifest; undefined where it cannot be read any more. */
  #agentOf({ agentName, manifestVersion, source, document: stored }: StoredManifest): Agent | undefined {
    const serving = this.live.snapshot.agents.get(agentName);
    const isSame = serving?.manifest.manifestVersion === manifestVersion && serving.source === source;
    if (isSame && sameContent(serving.document, stored)) return serving;
    try {
      const { manifest, document, validators } = restoreManifest(stored);
      return Object.freeze({ manifest: { ...manifest, manifestVersion }, document, source, validators });
    } catch (thrown) {
      const { message } = asReachError(thrown);
      this.#parts.report(`The stored manifest of ${agentName} cannot be read any more: ${message}`);
      return undefined;
    }
  }

  /** What the feed means. Where that version is not kept any more, a newer one has come, which the feed tells next. */
  async #foundAt(agentName: string, manifestVersion: number | undefined): Promise<Agent | undefined> {
    if (manifestVersion === undefined) return undefined;
    const ours = this.#ours.get(agentName);
    if (ours?.manifest.manifestVersion === manifestVersion) return ours;
    const { store, team } = this.#parts;
    const stored = await store.version(team, agentName, manifestVersion);
    return stored === undefined ? this.live.snapshot.agents.get(agentName) : this.#agentOf(stored);
  }

  #serves(agent: Agent): boolean {
    return this.live.snapshot.agents.get(agent.manifest.agentName) === agent;
  }

  /** These agents, prepared; in the place of one that cannot be, the one that serves. */
  async #preparable(agents: readonly Agent[]): Promise<readonly Agent[]> {
    const isReady = (agent: Agent) =>
      this.#serves(agent) || this.#ours.get(agent.manifest.agentName) === agent;
    const fresh = agents.filter((agent) => !isReady(agent));
    if ((await this.live.faultOf(fresh)) === undefined) return agents;
    const prepared: Agent[] = [];
    for (const agent of agents) {
      const fault = isReady(agent) ? undefined : await this.live.faultOf([agent]);
      if (fault?.retryable) throw fault;
      const { agentName } = agent.manifest;
      if (fault !== undefined) {
        this.#parts.report(`The new manifest of ${agentName} cannot serve here: ${fault.message}`);
      }
      const serving = fault === undefined ? agent : this.live.snapshot.agents.get(agentName);
      if (serving !== undefined) prepared.push(serving);
    }
    return prepared;
  }
}

function byName(agents: readonly Agent[]): Map<string, Agent> {
  return new Map(agents.map((agent) => [agent.manifest.agentName, agent]));
}
