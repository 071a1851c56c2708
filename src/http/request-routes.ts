import { type Static, Type } from 'typebox';
import { RequestId } from '../wire/dispatch.js';
import { LIMITS } from '../wire/limits.js';
import {
  AgentReplySchema,
  type AgentReplyWire,
  agentReplyCodec,
  QueuesSchema,
  queuesCodec,
  REQUEST_STATES,
  RequestListSchema,
  RequestStatusSchema,
  requestListCodec,
  requestStatusCodec,
} from '../wire/requests.js';
import type { HttpRoute } from './http-route.js';
import { eventsOfRequest, RequestEventSchema } from './request-events.js';
import { LimitQuery, limitIn, NO_BODY, NoQuery, ok } from './route-parts.js';
import { EVENT_STREAM } from './server-sent-events.js';

const RequestParams = Type.Object({ id: RequestId });
const requestIdIn = (params: unknown) => (params as Static<typeof RequestParams>).id;

const ListQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...REQUEST_STATES], { description: 'only requests in this state' })),
    ...LimitQuery.properties,
  },
  { additionalProperties: false },
);

const EventsHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,14})$',
      description: 'The id of an event, to go on after it where a connection broke.',
    }),
  ),
});

const ReplyQuery = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: LIMITS.idChars,
      description: 'of the reply_to that came with the work',
    }),
  },
  { additionalProperties: false },
);
const ReplyAnswerSchema = Type.Object({ request_id: Type.String() });

const url = '/api/v1/requests/:id';

/** Requests after they were made: where they are, what they tell, how they end. */
export const requestRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/requests',
    operationId: 'listRequests',
    summary: 'List the kept requests, newest first.',
    tag: 'requests',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: ListQuery,
      response: { 200: { description: 'The requests, without their answers.', schema: RequestListSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { state } = query as Static<typeof ListQuery>;
      const requests = await reach.requests({
        ...(state !== undefined && { state }),
        ...limitIn(query),
      });
      return ok(requestListCodec.encode(requests));
    },
  },
  {
    method: 'GET',
    url,
    operationId: 'getRequest',
    summary: 'Show one request: its states and, once it has ended, its answer.',
    tag: 'requests',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: RequestParams,
      querystring: NoQuery,
      response: { 200: { description: 'The request.', schema: RequestStatusSchema } },
    },
    problems: ['REQUEST_UNKNOWN', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) =>
      ok(requestStatusCodec.encode(await reach.request(requestIdIn(params)))),
  },
  {
    method: 'GET',
    url: `${url}/events`,
    operationId: 'followRequest',
    summary: 'Follow a request from its first state on, until it has ended.',
    tag: 'requests',
    scope: 'read',
    ...NO_BODY,
    streams: [EVENT_STREAM],
    schema: {
      params: RequestParams,
      querystring: NoQuery,
      headers: EventsHeaders,
      response: { 200: { description: 'Its events; the last is `answer`.', schema: RequestEventSchema } },
    },
    problems: ['REQUEST_UNKNOWN', 'OVERLOADED', 'STORE_UNAVAILABLE'],
    async handle({ reach, params, headers, signal }) {
      const { 'last-event-id': lastEventId } = headers as Static<typeof EventsHeaders>;
      const resume = lastEventId === undefined ? {} : { lastEventId: Number(lastEventId) };
      const events = await reach.requestEvents(requestIdIn(params), { ...resume, signal });
      return { status: 200, ...eventsOfRequest(events) };
    },
  },
  {
    method: 'POST',
    url: `${url}/cancel`,
    operationId: 'cancelRequest',
    summary: 'End a request, and tell the agent that has it.',
    tag: 'requests',
    scope: 'dispatch',
    ...NO_BODY,
    schema: {
      params: RequestParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is cancelled.', schema: RequestStatusSchema } },
    },
    problems: ['REQUEST_UNKNOWN', 'REQUEST_ENDED', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) =>
      ok(requestStatusCodec.encode(await reach.cancel(requestIdIn(params)))),
  },
  {
    method: 'POST',
    url: `${url}/reply`,
    operationId: 'replyToRequest',
    summary: 'Tell how far work is that an agent took with a 202, or its result.',
    tag: 'requests',
    // The token is what lets an agent in: it knows nothing else of the service.
    scope: 'public',
    bodyLimit: LIMITS.answerBytes,
    bodyDepth: LIMITS.bodyDepth,
    bodyCheckedBy: 'schema',
    schema: {
      params: RequestParams,
      querystring: ReplyQuery,
      body: AgentReplySchema,
      response: { 200: { description: 'It was heard.', schema: ReplyAnswerSchema } },
    },
    problems: ['REQUEST_UNKNOWN', 'REQUEST_ENDED', 'STORE_UNAVAILABLE'],
    async handle({ reach, params, query, body }) {
      const requestId = requestIdIn(params);
      const { token } = query as Static<typeof ReplyQuery>;
      await reach.reply(requestId, token, agentReplyCodec.decode(body as AgentReplyWire));
      return ok({ request_id: requestId });
    },
  },
  {
    method: 'GET',
    url: '/api/v1/queues',
    operationId: 'queues',
    summary: 'Show who waits and runs where.',
    tag: 'requests',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The slots of every instance, and who waits.', schema: QueuesSchema } },
    },
    problems: [],
    handle: async ({ reach }) => ok(queuesCodec.encode(await reach.queues())),
  },
];
