import { Type } from 'typebox';
import { describe, ReachError } from '../errors.js';
import { MANIFEST_LIMITS, ManifestSchema } from '../manifest/schema.js';
import {
  AgentDetailSchema,
  AgentListSchema,
  agentDetailCodec,
  agentListCodec,
  PublishAnswerSchema,
  publishAnswerCodec,
  RemoveAnswerSchema,
  removeAnswerCodec,
} from '../wire/agents.js';
import {
  DispatchAnswerSchema,
  DispatchRequestSchema,
  type DispatchRequestWire,
  dispatchAnswerCodec,
  dispatchRequestCodec,
} from '../wire/dispatch.js';
import { HealthReportSchema, healthReportCodec } from '../wire/health.js';
import { LIMITS } from '../wire/limits.js';
import {
  DecisionSchema,
  decisionCodec,
  RouteRequestSchema,
  type RouteRequestWire,
  routeRequestCodec,
} from '../wire/route.js';
import { readTraceparent } from '../wire/traceparent.js';
import { doctorRoutes } from './doctor-routes.js';
import type { HttpRoute } from './http-route.js';
import { instanceRoutes } from './instance-routes.js';
import { liveRoutes } from './live-routes.js';
import { manifestHistoryRoutes } from './manifest-history-routes.js';
import { recordRoutes } from './record-routes.js';
import { AgentParams, agentNameIn, JSON_BODY, NO_BODY, NoQuery, ok } from './route-parts.js';

const AliveSchema = Type.Object({ status: Type.String() });

/** Deep enough for every schema that a manifest may hold; the façade knows the limits of its parts. */
const MANIFEST_BODY = {
  bodyLimit: LIMITS.manifestBytes,
  bodyDepth: 4 * MANIFEST_LIMITS.schemaDepth,
  bodyCheckedBy: 'reach',
} as const;

/** A manifest is published under the name in its path; what is no object at all is the façade's to refuse. */
function checkSameName(manifest: unknown, agentName: string): void {
  if (typeof manifest !== 'object' || manifest === null || !Object.hasOwn(manifest, 'agent_name')) return;
  const { agent_name: inBody } = manifest as { readonly agent_name: unknown };
  if (inBody === agentName) return;
  throw new ReachError('MANIFEST_INVALID', "The manifest's agent_name is not the one in the path.", {
    errors: [{ pointer: '/agent_name', expected: JSON.stringify(agentName), received: describe(inBody) }],
  });
}

const routing: readonly HttpRoute[] = [
  {
    method: 'POST',
    url: '/api/v1/route',
    operationId: 'route',
    summary: 'Find the agent that can do it, without calling it.',
    tag: 'routing',
    scope: 'route',
    ...JSON_BODY,
    schema: {
      querystring: NoQuery,
      body: RouteRequestSchema,
      response: { 200: { description: 'The decision and its reasons.', schema: DecisionSchema } },
    },
    problems: [
      'AGENT_UNKNOWN',
      'CAPABILITY_UNKNOWN',
      'ROUTE_UNKNOWN',
      'EMBEDDING_INTERRUPTED',
      'OVERLOADED',
      'NOT_READY',
      'DEADLINE_EXCEEDED',
    ],
    async handle({ reach, body, signal }) {
      const decision = await reach.route(routeRequestCodec.decode(body as RouteRequestWire), { signal });
      return ok(decisionCodec.encode(decision));
    },
  },
  {
    method: 'POST',
    url: '/api/v1/dispatch',
    operationId: 'dispatch',
    summary: 'Find the agent that can do it and have it done.',
    tag: 'routing',
    scope: 'dispatch',
    ...JSON_BODY,
    schema: {
      querystring: NoQuery,
      body: DispatchRequestSchema,
      response: {
        200: {
          description: 'What became of it, whether the agent did well or not: see `state`.',
          schema: DispatchAnswerSchema,
        },
      },
    },
    problems: [
      'AGENT_UNKNOWN',
      'CAPABILITY_UNKNOWN',
      'ROUTE_UNKNOWN',
      'PAYLOAD_INVALID',
      'EMBEDDING_INTERRUPTED',
      'OVERLOADED',
      'NOT_READY',
      'DEADLINE_EXCEEDED',
    ],
    async handle({ reach, body, headers, signal }) {
      const traceparent = readTraceparent(headers.traceparent);
      const answer = await reach.dispatch(dispatchRequestCodec.decode(body as DispatchRequestWire), {
        signal,
        ...(traceparent === undefined ? {} : { traceparent }),
      });
      return ok(dispatchAnswerCodec.encode(answer));
    },
  },
];

const agents: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/agents',
    operationId: 'listAgents',
    summary: 'List the agents, their capabilities and instances.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The catalogue.', schema: AgentListSchema } },
    },
    problems: [],
    handle: ({ reach }) => ok(agentListCodec.encode(reach.agents())),
  },
  {
    method: 'GET',
    url: '/api/v1/agents/:name',
    operationId: 'getAgent',
    summary: 'Show one agent with its manifest.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      response: { 200: { description: 'The agent.', schema: AgentDetailSchema } },
    },
    problems: ['AGENT_UNKNOWN'],
    handle: ({ reach, params }) => ok(agentDetailCodec.encode(reach.agent(agentNameIn(params)))),
  },
  {
    method: 'PUT',
    url: '/api/v1/agents/:name/manifest',
    operationId: 'publishManifest',
    summary: 'Publish a manifest; it is routable when the answer comes.',
    tag: 'agents',
    scope: 'publish',
    ...MANIFEST_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      body: ManifestSchema,
      response: { 200: { description: 'It is stored and routable.', schema: PublishAnswerSchema } },
    },
    problems: [
      'MANIFEST_INVALID',
      'MANIFEST_VERSION_STALE',
      'MANIFEST_BREAKING',
      'MANIFEST_MANAGED_BY_FOLDER',
      'EMBEDDING_INTERRUPTED',
      'OVERLOADED',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params, body }) {
      checkSameName(body, agentNameIn(params));
      return ok(publishAnswerCodec.encode(await reach.publish(body)));
    },
  },
  {
    method: 'DELETE',
    url: '/api/v1/agents/:name',
    operationId: 'removeAgent',
    summary: 'Remove an agent.',
    tag: 'agents',
    scope: 'publish',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is removed.', schema: RemoveAnswerSchema } },
    },
    problems: [
      'AGENT_UNKNOWN',
      'MANIFEST_VERSION_STALE',
      'MANIFEST_MANAGED_BY_FOLDER',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params }) {
      return ok(removeAnswerCodec.encode(await reach.remove(agentNameIn(params))));
    },
  },
];

// Whoever watches a service may add query parameters of its own: these three take no notice of them.
const service: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/health',
    operationId: 'health',
    summary: 'The state of every part.',
    tag: 'service',
    scope: 'read',
    ...NO_BODY,
    schema: {
      response: {
        200: { description: 'It serves, perhaps not with all of its parts.', schema: HealthReportSchema },
        503: {
          description: 'A part has failed without which nothing can be answered.',
          schema: HealthReportSchema,
        },
      },
    },
    problems: [],
    handle({ reach }) {
      const report = reach.health();
      return { status: report.status === 'failed' ? 503 : 200, body: healthReportCodec.encode(report) };
    },
  },
  {
    method: 'GET',
    url: '/healthz',
    operationId: 'alive',
    summary: 'Whether the process lives.',
    tag: 'service',
    scope: 'public',
    ...NO_BODY,
    schema: { response: { 200: { description: 'It lives.', schema: AliveSchema } } },
    problems: [],
    handle: () => ok({ status: 'alive' }),
  },
  {
    method: 'GET',
    url: '/readyz',
    operationId: 'ready',
    summary: 'Whether intents are answered: not before the catalogue is embedded.',
    tag: 'service',
    scope: 'public',
    ...NO_BODY,
    schema: { response: { 200: { description: 'They are.', schema: AliveSchema } } },
    problems: ['NOT_READY'],
    handle({ reach }) {
      if (reach.ready) return ok({ status: 'ready' });
      throw new ReachError('NOT_READY', 'The catalogue is not embedded yet.', { retryAfterMs: 1_000 });
    },
  },
];

/** Every call of the HTTP door. A call that is not here does not exist; a test compares it with what is served. */
export const ROUTES: readonly HttpRoute[] = [
  ...routing,
  ...agents,
  ...manifestHistoryRoutes,
  ...instanceRoutes,
  ...doctorRoutes,
  ...recordRoutes,
  ...liveRoutes,
  ...service,
];
