import type { Clock } from './clock.js';
import type { Dispatcher, RequestContext } from './dispatch/dispatcher.js';
import type { Embedder } from './embedding/embedder.js';
import type { BySpace } from './embedding/embedding-space.js';
import { describe, ReachError, sentenceOf } from './errors.js';
import type { InstanceViews } from './health/instance-view.js';
import { allOf, embeddingReport, type PartReport, statusOf } from './health-report.js';
import type { Lifecycle } from './lifecycle.js';
import type { OverlapFinder } from './overlaps/overlap-finder.js';
import type { Agent } from './registry/catalogue.js';
import type { Published, Registry } from './registry/registry.js';
import type { Router } from './routing/router.js';
import { RunningCalls, within } from './running-calls.js';
import type {
  AgentDetail,
  AgentList,
  AgentSummary,
  ManifestHistory,
  Overlap,
  PublishAnswer,
  RemoveAnswer,
  StoredManifestAnswer,
} from './wire/agents.js';
import { type Check, camelCheckOf } from './wire/check.js';
import { type DispatchAnswer, type DispatchRequest, DispatchRequestSchema } from './wire/dispatch.js';
import type { HealthReport } from './wire/health.js';
import { LIMITS } from './wire/limits.js';
import { type Decision, type RouteRequest, RouteRequestSchema } from './wire/route.js';

export type RouteOptions = Omit<RouteRequest, 'intent' | 'payload'>;

/** The façade: all that a door (HTTP, CLI, a library user) can ask for. Input is checked here, whoever calls. */
export interface Reach {
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
  /**
   * Says who should do something, and why.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, ROUTE_UNKNOWN, EMBEDDING_INTERRUPTED,
   * OVERLOADED, DEADLINE_EXCEEDED after 30 s, NOT_READY, CLOSED
   */
  route(request: RouteRequest, context?: RequestContext): Promise<Decision>;
  route(intent: string, payload?: Record<string, unknown> | null, options?: RouteOptions): Promise<Decision>;
  /**
   * As route, then carries it out. What an agent does wrong is in the answer, not thrown.
   * @throws ReachError as route, with DEADLINE_EXCEEDED after `deadlines.seekMs`; and PAYLOAD_INVALID
   */
  dispatch(request: DispatchRequest, context?: RequestContext): Promise<DispatchAnswer>;
  agents(): AgentList;
  /** @throws ReachError AGENT_UNKNOWN */
  agent(agentName: string): AgentDetail;
  health(): HealthReport;
  /** The least confidence to route on where neither request nor capability names one, 0..1. */
  readonly threshold: number;
  /** True while the catalogue is embedded and intents are answered. */
  readonly ready: boolean;
  /** No new work; running work ends within its deadline; everything is closed once. */
  close(): Promise<void>;
}

export interface ReachParts {
  readonly version: string;
  readonly registry: Registry;
  readonly router: Router;
  readonly dispatcher: Dispatcher;
  readonly overlaps: OverlapFinder;
  readonly instances: InstanceViews;
  readonly embedders: BySpace<Embedder>;
  readonly threshold: number;
  readonly vectorIndex: () => HealthReport['vectorIndex'];
  readonly store: PartReport;
  readonly manifests: PartReport;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** Whether the catalogue is loaded and embedded. */
  readonly started: () => boolean;
}

/** A text of 20,000 characters takes a few seconds to embed; what takes longer than this has no model to wait for. */
const ROUTE_BUDGET_MS = 30_000;
/** When a caller that came during the start may come again. */
const STARTING_RETRY_MS = 1_000;

const checkRoute = camelCheckOf(RouteRequestSchema);
const checkDispatch = camelCheckOf(DispatchRequestSchema);

function refuseUnlessFit(check: Check, request: unknown): void {
  const errors = check(request);
  if (errors.length > 0)
    throw new ReachError('INVALID_REQUEST', sentenceOf(errors, 'the request'), { errors });
}

/** The two forms of a route call as one: a request with what surrounds it, or an intent with payload and options. */
function routeCall(
  given: RouteRequest | string,
  second: RequestContext | Record<string, unknown> | null | undefined,
  options: RouteOptions,
): { readonly request: RouteRequest; readonly context: RequestContext } {
  if (typeof given !== 'string') return { request: given, context: second ?? {} };
  const payload = second === undefined ? {} : { payload: second as Record<string, unknown> | null };
  return { request: { ...options, intent: given, ...payload }, context: {} };
}

function refuseUnlessWhole(pointer: string, value: number, maximum: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return;
  const errors = [{ pointer, expected: `a whole number from 1 to ${maximum}`, received: describe(value) }];
  throw new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors });
}

const refuseUnlessVersion = (version: number) =>
  refuseUnlessWhole('/manifestVersion', version, Number.MAX_SAFE_INTEGER);

/** Puts the façade before the parts that do the work. */
export function reachOver(parts: ReachParts): Reach {
  const { registry, router, dispatcher, overlaps, instances, embedders, clock, lifecycle, started } = parts;
  const startedAt = clock.monotonic();
  // A publish may wait for thousands of texts: at a close it ends with CLOSED, and nothing of it was stored.
  const running = new RunningCalls();
  lifecycle.add('calls', () => running.ended());

  const refuseUnlessOpen = () => {
    if (lifecycle.closing) throw new ReachError('CLOSED', 'Agent-Reach is shutting down.');
    if (started()) return;
    const retry = { retryAfterMs: STARTING_RETRY_MS };
    throw new ReachError('NOT_READY', 'The catalogue is still being embedded.', retry);
  };

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
    return { ...answer, overlaps: await running.track(overlaps.inPassing(agent)) };
  };

  return {
    async publish(document) {
      refuseUnlessOpen();
      return publishAnswer(await registry.publish(document, 'api'));
    },

    async republish(agentName, manifestVersion) {
      refuseUnlessOpen();
      refuseUnlessVersion(manifestVersion);
      return publishAnswer(await registry.republish(agentName, manifestVersion, 'api'));
    },

    async overlaps(agentName) {
      refuseUnlessOpen();
      return running.track(overlaps.of(registry.agent(agentName)));
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
      refuseUnlessOpen();
      return { agentName, catalogueVersion: await running.track(registry.remove(agentName, 'api')) };
    },

    async route(
      given: RouteRequest | string,
      second?: RequestContext | Record<string, unknown> | null,
      options: RouteOptions = {},
    ) {
      refuseUnlessOpen();
      const { request, context } = routeCall(given, second, options);
      refuseUnlessFit(checkRoute, request);
      const routing = within(ROUTE_BUDGET_MS, clock, (end) => router.route(request, end), context.signal);
      const { decision } = await running.track(routing);
      return decision;
    },

    async dispatch(request, context = {}) {
      refuseUnlessOpen();
      refuseUnlessFit(checkDispatch, request);
      return dispatcher.dispatch(request, context);
    },

    agents: () => ({
      agents: [...registry.snapshot.agents.values()].map(summaryOf),
      catalogueVersion: registry.snapshot.version,
    }),

    agent(agentName) {
      const agent = registry.agent(agentName);
      return { ...summaryOf(agent), manifest: agent.document };
    },

    health() {
      const { agents, version } = registry.snapshot;
      const capabilities = [...agents.values()].reduce((sum, a) => sum + a.manifest.capabilities.length, 0);
      const catalogue = {
        state: started() ? ('ok' as const) : ('starting' as const),
        detail: `${agents.size} agents with ${capabilities} capabilities.`,
        version,
        agents: agents.size,
        capabilities,
      };
      const report = {
        catalogue,
        embedding: embeddingReport(embedders),
        vectorIndex: parts.vectorIndex(),
        store: parts.store(),
        manifests: parts.manifests(),
      };
      const status = lifecycle.closing ? 'degraded' : statusOf(report);
      const uptimeMs = Math.round(clock.monotonic() - startedAt);
      return { status, version: parts.version, uptimeMs, ...report };
    },

    threshold: parts.threshold,

    get ready() {
      return (
        started() &&
        !lifecycle.closing &&
        allOf(embedders).every((embedder) => embedder.status().state === 'ready')
      );
    },

    close: () => lifecycle.close(),
  };
}
