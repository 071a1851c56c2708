import {
  DispatchAnswerSchema,
  DispatchRequestSchema,
  type DispatchRequestWire,
  dispatchAnswerCodec,
  dispatchRequestCodec,
} from '../wire/dispatch.js';
import {
  DecisionSchema,
  decisionCodec,
  RouteRequestSchema,
  type RouteRequestWire,
  routeRequestCodec,
} from '../wire/route.js';
import { readTraceparent } from '../wire/traceparent.js';
import type { HttpRoute } from './http-route.js';
import { JSON_BODY, NoQuery, ok } from './route-parts.js';

/** From an intent to a decision, and to a result. */
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
