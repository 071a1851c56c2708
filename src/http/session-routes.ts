import { type Static, Type } from 'typebox';
import { ReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import {
  type Session,
  SessionContentSchema,
  type SessionContentWire,
  SessionListSchema,
  SessionRemovedSchema,
  SessionSchema,
  sessionCodec,
  sessionContentCodec,
  sessionListCodec,
  sessionRemovedCodec,
} from '../wire/sessions.js';
import type { HttpAnswer, HttpCall, HttpRoute } from './http-route.js';
import { LimitQuery, limitIn, NO_BODY, NoQuery, ok } from './route-parts.js';

const SessionParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: 'The session_id.' }),
});
const sessionIdIn = (params: unknown) => (params as Static<typeof SessionParams>).id;

const RevisionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      pattern: '^"(0|[1-9][0-9]{0,14})"$',
      description: 'the revision that is replaced, in quotes, as the ETag has it; "0": there is none yet',
    }),
  ),
  'if-none-match': Type.Optional(Type.Literal('*', { description: 'there is none yet' })),
});

/** @throws ReachError REVISION_REQUIRED */
function revisionIn({ headers }: HttpCall): number {
  const { 'if-match': match, 'if-none-match': none } = headers as Static<typeof RevisionHeaders>;
  if (match !== undefined) return Number(match.slice(1, -1));
  if (none !== undefined) return 0;
  const detail = 'Say in If-Match which revision is replaced, as ETag had it, or If-None-Match: * for none.';
  throw new ReachError('REVISION_REQUIRED', detail);
}

const shown = (session: Session): HttpAnswer => ({
  ...ok(sessionCodec.encode(session)),
  headers: { etag: `"${session.revision}"` },
});

const showing = (description: string) => ({
  200: { description, schema: SessionSchema, headers: { etag: 'Its revision, in quotes.' } },
});

const url = '/api/v1/sessions/:id';

/** What is remembered of conversations. */
export const sessionRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/sessions',
    operationId: 'listSessions',
    summary: 'List the sessions, the one that changed last first.',
    tag: 'sessions',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: LimitQuery,
      response: { 200: { description: 'The sessions, without what was said.', schema: SessionListSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    handle: async ({ reach, query }) => ok(sessionListCodec.encode(await reach.sessions(limitIn(query)))),
  },
  {
    method: 'GET',
    url,
    operationId: 'getSession',
    summary: 'Show what is remembered of a conversation.',
    tag: 'sessions',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: SessionParams,
      querystring: NoQuery,
      response: showing('The session.'),
    },
    problems: ['SESSION_UNKNOWN', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) => shown(await reach.session(sessionIdIn(params))),
  },
  {
    method: 'PUT',
    url,
    operationId: 'putSession',
    summary: 'Put content in place of that of a revision; what is left out is empty then.',
    tag: 'sessions',
    scope: 'dispatch',
    bodyLimit: LIMITS.sessionBytes,
    bodyDepth: LIMITS.bodyDepth,
    bodyCheckedBy: 'schema',
    schema: {
      params: SessionParams,
      querystring: NoQuery,
      headers: RevisionHeaders,
      body: SessionContentSchema,
      response: showing('The session as it is kept now.'),
    },
    problems: ['REVISION_REQUIRED', 'REVISION_STALE', 'STORE_UNAVAILABLE'],
    async handle(call) {
      const revision = revisionIn(call);
      const content = sessionContentCodec.decode(call.body as SessionContentWire);
      return shown(await call.reach.saveSession(sessionIdIn(call.params), content, revision));
    },
  },
  {
    method: 'DELETE',
    url,
    operationId: 'removeSession',
    summary: 'Forget a conversation.',
    tag: 'sessions',
    scope: 'dispatch',
    ...NO_BODY,
    schema: {
      params: SessionParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is forgotten.', schema: SessionRemovedSchema } },
    },
    problems: ['SESSION_UNKNOWN', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) =>
      ok(sessionRemovedCodec.encode(await reach.removeSession(sessionIdIn(params)))),
  },
];
