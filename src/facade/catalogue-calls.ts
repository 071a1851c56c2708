import type { InstanceViews } from '../health/instance-view.js';
import type { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { Agent } from '../registry/catalogue.js';
import type { Published, Registry } from '../registry/registry.js';
import type {
  AgentDetail,
  AgentList,
  AgentSummary,
  ManifestHistory,
  Overlap,
  PublishAnswer,
  RemoveAnswer,
  StoredManifestAnswer,
} from '../wire/agents.js';
import { LIMITS } from '../wire/limits.js';
import { type OpenCalls, refuseUnlessWhole } from './open-calls.js';

/** What exists: publishing, removing and looking at it. */
export interface CatalogueCalls {
  /**
   * Publishes a manifest, given as a team writes it. When the promise resolves, it is stored and found. What it
   * breaks against the version that served until then is in the answer, or, under `strictCompat`, refused. So is
   * with whom of other agents it overlaps, as far as a short look tells.
   * @throws ReachError MANIFEST_INVALID, MANIFEST_VERSION_STALE, MANIFEST_BREAKING, MANIFEST_MANAGED_BY_FOLDER,
   * STORE_UNAVAILABLE, OVERLOADED, EMBEDDING_INTERRUPTED, DEADLINE_EXCEEDED, NOT_READY, CLOSED
   */
  publish(document: unknown): Promise<PublishAnswer>;
  /**
   * Publishes a version of the history again, as a new version; where it is the one that serves, nothing changes.
   * A removed agent comes back that way.
   * @throws ReachError as publish, and AGENT_UNKNOWN, MANIFEST_VERSION_UNKNOWN, INVALID_REQUEST
   */
  republish(agentName: string, manifestVersion: number): Promise<PublishAnswer>;
  /**
   * The kept versions of an agent's manifest, newest first, also those of a removed agent. `limit`: 1 to 100.
   * @throws ReachError AGENT_UNKNOWN, INVALID_REQUEST, STORE_UNAVAILABLE
   */
  history(agentName: string, limit?: number): Promise<ManifestHistory>;
  /**
   * One of these versions, as its team wrote it.
   * @throws ReachError AGENT_UNKNOWN, MANIFEST_VERSION_UNKNOWN, INVALID_REQUEST, STORE_UNAVAILABLE
   */
  manifest(agentName: string, manifestVersion: number): Promise<StoredManifestAnswer>;
  /**
   * The capabilities of other agents that take intents of this one, or whose intents it takes, the worst first: the
   * whole look, which routes all examples of close pairs.
   * @throws ReachError AGENT_UNKNOWN, EMBEDDING_INTERRUPTED, OVERLOADED, NOT_READY, CLOSED
   */
  overlaps(agentName: string): Promise<readonly Overlap[]>;
  /** @throws ReachError AGENT_UNKNOWN, MANIFEST_MANAGED_BY_FOLDER, STORE_UNAVAILABLE, NOT_READY, CLOSED */
  remove(agentName: string): Promise<RemoveAnswer>;
  agents(): AgentList;
  /** @throws ReachError AGENT_UNKNOWN */
  agent(agentName: string): AgentDetail;
}

interface CatalogueParts {
  readonly registry: Registry;
  readonly overlaps: OverlapFinder;
  readonly instances: InstanceViews;
}

const refuseUnlessVersion = (version: number) =>
  refuseUnlessWhole('/manifestVersion', version, Number.MAX_SAFE_INTEGER);

export function catalogueCalls(
  { registry, overlaps, instances }: CatalogueParts,
  calls: OpenCalls,
): CatalogueCalls {
  const summaryOf = ({ manifest, source }: Agent): AgentSummary => ({
    agentName: manifest.agentName,
    manifestVersion: manifest.manifestVersion,
    team: manifest.team,
    source,
    capabilities: manifest.capabilities.map(({ id, name, description, priority }) => ({
      id,
      name,
      description,
      priority,
    })),
    instances: instances.instancesOf(manifest.agentName).map((view) => ({
      instanceId: view.instanceId,
      address: view.address,
      state: view.state,
      reachability: view.reachability,
      pending: view.pending,
    })),
  });

  const publishAnswer = async ({ agent, catalogueVersion, breaking }: Published): Promise<PublishAnswer> => {
    const { agentName, manifestVersion } = agent.manifest;
    const answer = { agentName, manifestVersion, catalogueVersion, breaking: [...breaking] };
    return { ...answer, overlaps: await calls.track(overlaps.inPassing(agent)) };
  };

  return {
    async publish(document) {
      calls.refuseUnlessOpen();
      return publishAnswer(await registry.publish(document, 'api'));
    },

    async republish(agentName, manifestVersion) {
      calls.refuseUnlessOpen();
      refuseUnlessVersion(manifestVersion);
      return publishAnswer(await registry.republish(agentName, manifestVersion, 'api'));
    },

    async overlaps(agentName) {
      calls.refuseUnlessOpen();
      return calls.track(overlaps.of(registry.agent(agentName)));
    },

    async history(agentName, limit = LIMITS.historyItems) {
      refuseUnlessWhole('/limit', limit, LIMITS.historyItems);
      const versions = await registry.history(agentName, limit);
      const manifests = versions.map(({ publishedAtMs, ...version }) => ({
        ...version,
        publishedAt: new Date(publishedAtMs).toISOString(),
      }));
      return { agentName, manifests };
    },

    async manifest(agentName, manifestVersion) {
      refuseUnlessVersion(manifestVersion);
      const { source, document } = await registry.version(agentName, manifestVersion);
      return { agentName, manifestVersion, source, manifest: document };
    },

    async remove(agentName) {
      calls.refuseUnlessOpen();
      return { agentName, catalogueVersion: await calls.track(registry.remove(agentName, 'api')) };
    },

    agents: () => ({
      agents: [...registry.snapshot.agents.values()].map(summaryOf),
      catalogueVersion: registry.snapshot.version,
    }),

    agent(agentName) {
      const agent = registry.agent(agentName);
      return { ...summaryOf(agent), manifest: agent.document };
    },
  };
}
