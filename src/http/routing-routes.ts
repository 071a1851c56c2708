import {
  DecisionSchema,
  decisionCodec,
  RouteRequestSchema,
  type RouteRequestWire,
  routeRequestCodec,
} from '../wire/route.js';
import type { HttpRoute } from './http-route.js';
import { JSON_BODY, NoQuery, ok } from './route-parts.js';

/** From an intent to a decision. */
export const routingRoutes: readonly HttpRoute[] = [
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
];
