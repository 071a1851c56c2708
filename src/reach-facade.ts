import type { Clock } from './clock.js';
import type { Dispatcher, RequestContext } from './dispatch/dispatcher.js';
import type { Embedder } from './embedding/embedder.js';
import type { BySpace } from './embedding/embedding-space.js';
import { describe, ReachError, sentenceOf } from './errors.js';
import type { InstanceViews } from './health/instance-view.js';
import { allOf, embeddingReport, type PartReport, statusOf } from './health-report.js';
import type { Lifecycle } from './lifecycle.js';
import type { OverlapFinder } from './overlaps/overlap-finder.js';
import type { Reach, RouteOptions } from './reach.js';
import type { Agent } from './registry/catalogue.js';
import type { Published, Registry } from './registry/registry.js';
import type { Router } from './routing/router.js';
import { RunningCalls, within } from './running-calls.js';
import type { AgentSummary, PublishAnswer } from './wire/agents.js';
import { type Check, camelCheckOf } from './wire/check.js';
import { DispatchRequestSchema } from './wire/dispatch.js';
import type { HealthReport } from './wire/health.js';
import { LIMITS } from './wire/limits.js';
import { type RouteRequest, RouteRequestSchema } from './wire/route.js';

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
