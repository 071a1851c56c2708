import type { RequestContext } from './dispatch/dispatcher.js';
import type {
  AgentDetail,
  AgentList,
  ManifestHistory,
  Overlap,
  PublishAnswer,
  RemoveAnswer,
  StoredManifestAnswer,
} from './wire/agents.js';
import type { DispatchAnswer, DispatchRequest } from './wire/dispatch.js';
import type { HealthReport } from './wire/health.js';
import type { Decision, RouteRequest } from './wire/route.js';

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
