import { type Static, Type } from 'typebox';
import { ReachError } from '../errors.js';
import type { RequestContext } from '../facade/request-calls.js';
import {
  BatchAnswerSchema,
  BatchRequestSchema,
  type BatchRequestWire,
  batchAnswerCodec,
  batchRequestCodec,
} from '../wire/batch.js';
import {
  DispatchAnswerSchema,
  type DispatchRequest,
  DispatchRequestSchema,
  type DispatchRequestWire,
  dispatchAnswerCodec,
  dispatchRequestCodec,
  REQUEST_ID,
} from '../wire/dispatch.js';
import { LIMITS } from '../wire/limits.js';
import { RequestStatusSchema, requestStatusCodec } from '../wire/requests.js';
import { weightIn } from './header-weight.js';
import type { HttpAnswer, HttpCall, HttpRoute, HttpStream } from './http-route.js';
import { prefersAsync } from './prefer.js';
import { eventsOfRequest, RequestEventSchema } from './request-events.js';
import { contextOf, JSON_BODY, NoQuery, ok } from './route-parts.js';
import { EVENT_STREAM } from './server-sent-events.js';

const DispatchHeaders = Type.Object({
  prefer: Type.Optional(
    Type.String({ description: '`respond-async`: answer at once with 202, and where to look.' }),
  ),
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^(${REQUEST_ID}|"${REQUEST_ID}")$`,
      description: 'The `request_id`, bare or in quotes.',
    }),
  ),
});
const headersIn = ({ headers }: HttpCall) => headers as Static<typeof DispatchHeaders>;

/**
 * The request in a body, with the key of its header.
 * @throws ReachError INVALID_REQUEST where both name it, and not the same
 */
function requestIn(call: HttpCall): DispatchRequest {
  const request = dispatchRequestCodec.decode(call.body as DispatchRequestWire);
  const { 'idempotency-key': header } = headersIn(call);
  if (header === undefined) return request;
  const requestId = header.replaceAll('"', '');
  if (request.requestId === undefined || request.requestId === requestId) return { ...request, requestId };
  throw new ReachError('INVALID_REQUEST', 'The header idempotency-key and the request_id are not the same.', {
    errors: [{ pointer: '/request_id', expected: `${requestId}, the header's`, received: request.requestId }],
  });
}

const addressOf = (requestId: string) => `/api/v1/requests/${requestId}`;

async function dispatchLater(
  call: HttpCall,
  request: DispatchRequest,
  { traceparent }: RequestContext,
  asEvents: boolean,
): Promise<HttpAnswer | HttpStream> {
  const { reach, signal } = call;
  const status = await reach.dispatchLater(request, traceparent === undefined ? {} : { traceparent });
  const accepted = {
    status: 202,
    headers: {
      location: addressOf(status.requestId),
      ...(prefersAsync(headersIn(call).prefer) && { 'preference-applied': 'respond-async' }),
    },
  };
  if (!asEvents) return { ...accepted, body: requestStatusCodec.encode(status) };
  return { ...accepted, ...eventsOfRequest(await reach.requestEvents(status.requestId, { signal })) };
}

export const DISPATCH_PROBLEMS = [
  'AGENT_UNKNOWN',
  'CAPABILITY_UNKNOWN',
  'ROUTE_UNKNOWN',
  'PAYLOAD_INVALID',
  'IDEMPOTENCY_CONFLICT',
  'ADDRESS_FORBIDDEN',
  'EMBEDDING_INTERRUPTED',
  'OVERLOADED',
  'STORE_UNAVAILABLE',
  'NOT_READY',
  'DEADLINE_EXCEEDED',
] as const;

/** From an intent to a result. */
export const dispatchRoutes: readonly HttpRoute[] = [
  {
    method: 'POST',
    url: '/api/v1/dispatch',
    operationId: 'dispatch',
    summary: 'Find the agent that can do it and have it done.',
    tag: 'routing',
    scope: 'dispatch',
    ...JSON_BODY,
    toldDegraded: true,
    schema: {
      querystring: NoQuery,
      headers: DispatchHeaders,
      body: DispatchRequestSchema,
      response: {
        200: {
          description: 'What became of it, whether the agent did well or not: see `state`.',
          schema: DispatchAnswerSchema,
          events: RequestEventSchema,
          headers: { 'content-location': 'Of a stream: where its events are told again.' },
        },
        202: {
          description: 'It is accepted, and outlives a restart: see `location`.',
          schema: RequestStatusSchema,
          events: RequestEventSchema,
          headers: {
            location: 'Where the request is.',
            'preference-applied': '`respond-async`, where that was asked for.',
          },
        },
      },
    },
    problems: DISPATCH_PROBLEMS,
    async handle(call) {
      const { reach, headers } = call;
      const request = requestIn(call);
      const context = contextOf(call);
      const asEvents = weightIn(headers.accept, EVENT_STREAM) > weightIn(headers.accept, 'application/json');
      if (request.callbackUrl !== undefined || prefersAsync(headersIn(call).prefer)) {
        return dispatchLater(call, request, context, asEvents);
      }
      if (!asEvents) return ok(dispatchAnswerCodec.encode(await reach.dispatch(request, context)));
      const { requestId, events } = await reach.dispatchStream(request, context);
      const place = { 'content-location': `${addressOf(requestId)}/events` };
      return { status: 200, headers: place, ...eventsOfRequest(events) };
    },
  },
  {
    method: 'POST',
    url: '/api/v1/batch',
    operationId: 'batch',
    summary: 'Have several things done at once: all of them, the first that works, or as many as you say.',
    tag: 'routing',
    scope: 'dispatch',
    ...JSON_BODY,
    toldDegraded: true,
    // Each request lies two levels deeper than alone.
    bodyDepth: LIMITS.bodyDepth + 2,
    schema: {
      querystring: NoQuery,
      body: BatchRequestSchema,
      response: {
        200: { description: 'What became of each, in the order asked.', schema: BatchAnswerSchema },
      },
    },
    problems: ['NOT_READY'],
    async handle(call) {
      const batch = batchRequestCodec.decode(call.body as BatchRequestWire);
      return ok(batchAnswerCodec.encode(await call.reach.batch(batch, contextOf(call))));
    },
  },
];
