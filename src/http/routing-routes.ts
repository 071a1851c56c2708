import {
  DecisionSchema,
  decisionCodec,
  RouteRequestSchema,
  type RouteRequestWire,
  routeRequestCodec,
} from '../wire/route.js';
import type { HttpRoute } from './http-route.js';
import { contextOf, JSON_BODY, NoQuery, ok } from './route-parts.js';

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
    toldDegraded: true,
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
    async handle(call) {
      const request = routeRequestCodec.decode(call.body as RouteRequestWire);
      return ok(decisionCodec.encode(await call.reach.route(request, contextOf(call))));
    },
  },
];
