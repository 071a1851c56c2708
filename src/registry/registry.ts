import { asReachError, type ErrorCode, ReachError } from '../errors.js';
import type { BreakingChange } from '../wire/agents.js';
import { afterRaces } from './after-races.js';
import type {
  Agent,
  CatalogueFollower,
  CatalogueSnapshot,
  ManifestSource,
  ManifestVersion,
  StoredManifest,
} from './catalogue.js';
import { CatalogueCommits, type CatalogueCommitsParts } from './catalogue-commits.js';
import { agentIn } from './catalogue-names.js';
import {
  type AcceptedPlan,
  claimedName,
  type PublishPlan,
  type PublishRules,
  planPublish,
  refuseForeign,
} from './publish-plan.js';
import { sameContent } from './same-content.js';
import { Turns } from './turns.js';

interface RegistryOptions extends CatalogueCommitsParts {
  readonly rules: PublishRules;
}

/** What a publish came to: `catalogueVersion` is that of the snapshot in which the agent is found. */
export interface Published {
  readonly agent: Agent;
  readonly catalogueVersion: number;
  /** What broke against the version that served until then; nothing where nothing changed. */
  readonly breaking: readonly BreakingChange[];
}

/** One document of a batch. */
export type PublishOutcome =
  | { readonly kind: 'published'; readonly published: Published }
  | { readonly kind: 'refused'; readonly error: ReachError };

/** How often a change is planned anew that another process was faster than. */
const RACES = 3;
const STALE: ReadonlySet<ErrorCode> = new Set(['MANIFEST_VERSION_STALE']);

/**
 * What exists. A change is checked, prepared by the followers and stored before it counts; then the snapshot is
 * exchanged and the followers apply it in one synchronous step, so nobody ever sees the half of a change.
 *
 * ```
 * publish ─ turn of the agent ─ check ─ plan ─ prepare ─┐ turn of all commits
 * publish ─ turn of the agent ─ check ─ plan ─ prepare ─┴─ store ─ exchange + apply
 * ```
 */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #commits: CatalogueCommits;
  readonly #agentTurns = new Turns();
  #loaded = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#commits = new CatalogueCommits(options);
  }

  /** The catalogue now. Never changes: a change makes another one. */
  get snapshot(): CatalogueSnapshot {
    return this.#commits.live.snapshot;
  }

  /** Adds a follower. Only before `load`, so that none misses a change. */
  follow(follower: CatalogueFollower): void {
    this.#commits.live.follow(follower);
  }

  /**
   * Restores the stored catalogue, all followers in one go. Until it is done there is nothing to look up, and
   * changes are refused.
   * @throws ReachError STORE_UNAVAILABLE, and whatever a follower's `prepare` throws
   */
  async load(): Promise<void> {
    await this.#commits.load();
    this.#loaded = true;
  }

  /** Becomes what is stored now: what is not there any more goes. @throws ReachError as takeOver */
  reload(): Promise<void> {
    return this.#commits.reload();
  }

  /** Becomes what the store's feed tells. @throws ReachError STORE_UNAVAILABLE, or what may be over at the next try */
  takeOver(...told: Parameters<CatalogueCommits['takeOver']>): Promise<void> {
    return this.#commits.takeOver(...told);
  }

  /**
   * Checks and stores a manifest; it is found from the moment in which the promise resolves. The same document
   * once more is a success that changes nothing. A folder takes over an agent that was published by the API.
   * @throws ReachError MANIFEST_INVALID, MANIFEST_VERSION_STALE, MANIFEST_BREAKING, MANIFEST_MANAGED_BY_FOLDER,
   * STORE_UNAVAILABLE, NOT_READY before `load`, and whatever a follower's `prepare` throws: then nothing was stored.
   */
  async publish(document: unknown, source: ManifestSource): Promise<Published> {
    return single(await this.publishAll([document], source));
  }

  /**
   * Publishes documents of different agents, prepared together: what is slow alone (embedding) is fast in bulk.
   * A document that is refused, or that a follower cannot prepare, does not keep the others out. The outcomes are
   * in the order of the documents.
   * @throws ReachError NOT_READY before `load`, CLOSED where a follower is closed
   */
  async publishAll(documents: readonly unknown[], source: ManifestSource): Promise<PublishOutcome[]> {
    this.#refuseBeforeLoad();
    return this.#agentTurns.take(documents.map(claimedName), () => this.#publishInTurn(documents, source));
  }

  /**
   * Publishes a kept version of an agent once more, under the version after the highest. Where the newest says the
   * same already, it is a success that changes nothing. A removed agent comes back that way.
   * @throws ReachError as publish, and AGENT_UNKNOWN, MANIFEST_VERSION_UNKNOWN
   */
  async republish(agentName: string, manifestVersion: number, source: ManifestSource): Promise<Published> {
    this.#refuseBeforeLoad();
    return this.#agentTurns.take([agentName], async () => {
      const { document } = await this.version(agentName, manifestVersion);
      const { store, team } = this.#options;
      const newest = await store.newest(team, agentName);
      const highest = newest?.manifest.manifestVersion ?? manifestVersion;
      const serves = newest?.removed === false && sameContent(newest.manifest.document, document);
      const next = { ...document, manifest_version: serves ? highest : highest + 1 };
      return single(await this.#publishInTurn([next], source));
    });
  }

  /** The kept versions of an agent, also of a removed one, newest first. @throws ReachError AGENT_UNKNOWN, STORE_UNAVAILABLE */
  async history(agentName: string, limit: number): Promise<readonly ManifestVersion[]> {
    const { store, team } = this.#options;
    const versions = await store.history(team, agentName, limit);
    // Never saved: the same refusal, with the same help, as for any agent that is not there.
    if (versions.length === 0) this.agent(agentName);
    return versions;
  }

  /** A kept version of an agent. @throws ReachError AGENT_UNKNOWN, MANIFEST_VERSION_UNKNOWN, STORE_UNAVAILABLE */
  async version(agentName: string, manifestVersion: number): Promise<StoredManifest> {
    const { store, team } = this.#options;
    const stored = await store.version(team, agentName, manifestVersion);
    if (stored !== undefined) return stored;
    const [newest] = await this.history(agentName, 1);
    const detail = `No version ${manifestVersion} of ${agentName} is kept; the newest is ${newest?.manifestVersion}.`;
    throw new ReachError('MANIFEST_VERSION_UNKNOWN', detail);
  }

  /**
   * Removes an agent. Its versions are remembered: it can come back with the same document or a higher version.
   * Returns the catalogue's new version.
   * @throws ReachError AGENT_UNKNOWN, MANIFEST_MANAGED_BY_FOLDER, STORE_UNAVAILABLE, NOT_READY before `load`
   */
  async remove(agentName: string, source: ManifestSource): Promise<number> {
    this.#refuseBeforeLoad();
    return this.#agentTurns.take([agentName], async () => {
      const remove = async () => {
        const agent = this.agent(agentName);
        refuseForeign({ agentName, source: agent.source }, source, this.#options.rules);
        return this.#commits.remove(agent);
      };
      const { catchUp } = this.#options;
      return catchUp === undefined ? remove() : afterRaces({ most: RACES, refusals: STALE, catchUp }, remove);
    });
  }

  /** @throws ReachError AGENT_UNKNOWN */
  agent(agentName: string): Agent {
    return agentIn(this.snapshot, agentName);
  }

  /**
   * What publishing a document would come to now; nothing is prepared, stored or changed.
   * @throws ReachError as publish, but for what the store and the followers say
   */
  async plan(document: unknown, source: ManifestSource): Promise<AcceptedPlan> {
    this.#refuseBeforeLoad();
    const plan = await this.#plan(document, source);
    if (plan.kind === 'refused') throw plan.error;
    return plan;
  }

  #plan(document: unknown, source: ManifestSource): Promise<PublishPlan> {
    const { store, team, rules } = this.#options;
    const newest = (agentName: string) => store.newest(team, agentName);
    return planPublish(document, source, { agents: this.snapshot.agents, newest, rules });
  }

  async #publishInTurn(documents: readonly unknown[], source: ManifestSource): Promise<PublishOutcome[]> {
    const plans = await Promise.all(documents.map((document) => this.#plan(document, source)));
    const prepared = await this.#preparePlans(plans);
    return Promise.all(prepared.map((plan) => this.#carryOut(plan)));
  }

  #refuseBeforeLoad(): void {
    if (!this.#loaded) throw new ReachError('NOT_READY', 'The catalogue is still being loaded.');
  }

  async #carryOut(plan: PublishPlan, races = RACES): Promise<PublishOutcome> {
    if (plan.kind === 'refused') return plan;
    const { agent } = plan;
    if (plan.kind === 'unchanged') {
      const catalogueVersion = this.snapshot.version;
      return { kind: 'published', published: { agent, catalogueVersion, breaking: [] } };
    }
    try {
      const catalogueVersion = await this.#commits.commit(agent, plan.expectedVersion);
      return { kind: 'published', published: { agent, catalogueVersion, breaking: plan.breaking } };
    } catch (thrown) {
      const error = asReachError(thrown);
      const { catchUp } = this.#options;
      if (catchUp === undefined || races === 0 || error.code !== 'MANIFEST_VERSION_STALE') {
        return { kind: 'refused', error };
      }
      // Another process was faster: what it stored decides what this document comes to.
      await catchUp();
      const [again = plan] = await this.#preparePlans([await this.#plan(agent.document, agent.source)]);
      return this.#carryOut(again, races - 1);
    }
  }

  /** Prepares all changes together; where that fails one by one, so that only the faulty ones are refused. */
  async #preparePlans(plans: readonly PublishPlan[]): Promise<readonly PublishPlan[]> {
    const agents = plans.flatMap((plan) => (plan.kind === 'change' ? [plan.agent] : []));
    const fault = await this.#commits.live.faultOf(agents);
    if (fault === undefined) return plans;
    // It would be the same for each of them.
    if (fault.code === 'CLOSED') throw fault;
    const prepared: PublishPlan[] = [];
    for (const plan of plans) {
      const error =
        plan.kind !== 'change'
          ? undefined
          : agents.length === 1
            ? fault
            : await this.#commits.live.faultOf([plan.agent]);
      prepared.push(error === undefined ? plan : { kind: 'refused', error });
    }
    return prepared;
  }
}

function single([outcome]: readonly PublishOutcome[]): Published {
  if (outcome?.kind === 'published') return outcome.published;
  throw outcome?.error ?? new ReachError('INTERNAL', 'A publish came to nothing.');
}
