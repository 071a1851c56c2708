import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import {
  type ChangeEvent,
  ChangeSchema,
  changeCodec,
  type DecisionEvent,
  GapSchema,
  gapCodec,
  LostSchema,
  WatchedDecisionSchema,
  watchedDecisionCodec,
} from '../wire/live.js';
import type { HttpRoute } from './http-route.js';
import { NO_BODY } from './route-parts.js';
import { EVENT_STREAM, eventStream, type ServerSentEvent } from './server-sent-events.js';

const Text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.idChars, description }));

const ChangesQuery = Type.Object(
  {
    agent: Text('only instances of this agent'),
    capability: Text('only instances of agents that have this capability: its id, or `agent_name/id`'),
  },
  { additionalProperties: false },
);
const WatchQuery = Type.Object(
  {
    intent_pattern: Text(
      'only intents that have this in them, or that fit this `/regex/`; case does not count',
    ),
  },
  { additionalProperties: false },
);

async function* changeEvents(events: AsyncIterable<ChangeEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const told of events) {
    const data = told.event === 'change' ? changeCodec.encode(told.data) : gapCodec.encode(told.data);
    yield { ...told, data };
  }
}

async function* decisionEvents(events: AsyncIterable<DecisionEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const told of events) {
    yield { ...told, data: told.event === 'decision' ? watchedDecisionCodec.encode(told.data) : told.data };
  }
}

const STREAM = { method: 'GET', tag: 'live', scope: 'read', ...NO_BODY, streams: [EVENT_STREAM] } as const;

/** What happens, as long as the caller listens. */
export const liveRoutes: readonly HttpRoute[] = [
  {
    ...STREAM,
    url: '/api/v1/changes',
    operationId: 'changes',
    summary: 'Follow the changes of instances; `last-event-id` goes on where a connection broke.',
    schema: {
      querystring: ChangesQuery,
      response: {
        200: {
          description: 'Events: `change`, and `gap` for those that cannot be told any more.',
          schema: Type.Union([ChangeSchema, GapSchema]),
        },
      },
    },
    problems: ['OVERLOADED', 'NOT_READY'],
    handle({ reach, query, headers, signal }) {
      const { 'last-event-id': lastEventId } = headers;
      const resume = typeof lastEventId === 'string' ? { lastEventId } : {};
      const changes = reach.changes(query as Static<typeof ChangesQuery>, { ...resume, signal });
      const id = lastEventId === undefined ? changes.lastEventId : undefined;
      return { status: 200, contentType: EVENT_STREAM, pieces: eventStream(changeEvents(changes), id) };
    },
  },
  {
    ...STREAM,
    url: '/api/v1/watch',
    operationId: 'watch',
    summary: 'Watch decisions as they are made, with every candidate and why it lost.',
    schema: {
      querystring: WatchQuery,
      response: {
        200: {
          description: 'Events: `decision`, and `lost` with how many the reader was too slow for.',
          schema: Type.Union([WatchedDecisionSchema, LostSchema]),
        },
      },
    },
    problems: ['OVERLOADED', 'NOT_READY'],
    handle({ reach, query, signal }) {
      const { intent_pattern: intentPattern } = query as Static<typeof WatchQuery>;
      const decisions = reach.watch(intentPattern === undefined ? {} : { intentPattern }, { signal });
      return { status: 200, contentType: EVENT_STREAM, pieces: eventStream(decisionEvents(decisions)) };
    },
  },
];
