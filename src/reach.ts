import type { AgentDetail, AgentList, PublishAnswer, RemoveAnswer } from './wire/agents.js';
import type { DispatchAnswer, DispatchRequest } from './wire/dispatch.js';
import type { HealthReport } from './wire/health.js';
import type { Decision, RouteRequest } from './wire/route.js';

/** What surrounds a request and is passed on with it. */
export interface RequestContext {
  /** W3C traceparent of the caller. */
  readonly traceparent?: string;
}

/** The façade: all that a door (HTTP, CLI, a library user) can ask for. Input is checked here, whoever calls. */
export interface Reach {
  /** Publishes a manifest (wire form, unchecked). @throws MANIFEST_INVALID, MANIFEST_VERSION_STALE, MANIFEST_MANAGED_BY_FOLDER */
  publish(document: unknown): Promise<PublishAnswer>;
  /** @throws AGENT_UNKNOWN, MANIFEST_MANAGED_BY_FOLDER */
  remove(agentName: string): Promise<RemoveAnswer>;
  /** @throws INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, ROUTE_UNKNOWN, EMBEDDING_INTERRUPTED, NOT_READY */
  route(request: RouteRequest): Promise<Decision>;
  route(intent: string, payload?: Record<string, unknown> | null, options?: RouteOptions): Promise<Decision>;
  /** As route, then carries it out; what the agent does wrong is in the answer, not thrown. @throws as route, PAYLOAD_INVALID */
  dispatch(request: DispatchRequest, context?: RequestContext): Promise<DispatchAnswer>;
  agents(): AgentList;
  /** @throws AGENT_UNKNOWN */
  agent(agentName: string): AgentDetail;
  health(): HealthReport;
  /** True when the catalogue is embedded and intents are answered. */
  readonly ready: boolean;
  close(): Promise<void>;
}

export type RouteOptions = Omit<RouteRequest, 'intent' | 'payload'>;
