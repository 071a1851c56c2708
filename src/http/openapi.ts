import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { ERRORS, type ErrorCode } from '../errors.js';
import { ProblemSchema } from '../wire/problem.js';
import { DEGRADED, type HttpRoute } from './http-route.js';
import { PROBLEM_TYPE } from './problems.js';
import { EVENT_STREAM } from './server-sent-events.js';

/** What a call may answer with because of what it carries. */
function problemsOf(route: HttpRoute): readonly ErrorCode[] {
  const ofBody: ErrorCode[] = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  const ofChecks: ErrorCode[] = ['INVALID_REQUEST'];
  const { body, params, querystring, headers } = route.schema;
  return [
    'MALFORMED_REQUEST',
    // Where a call takes none, a body is read all the same, and then refused.
    ...(route.method === 'GET' ? [] : ofBody),
    ...((body ?? params ?? querystring ?? headers) === undefined ? [] : ofChecks),
    ...route.problems,
    'INTERNAL',
    'CLOSED',
  ];
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

const headerOf = (description: string) => ({ type: 'string', description });

/** Successes as JSON and, from the error table, every problem under its status. */
function responsesOf(route: HttpRoute): Record<number, Response> {
  const responses: Record<number, Response> = {};
  for (const [status, { description, schema, events, headers: own }] of Object.entries(
    route.schema.response,
  )) {
    const types = route.streams ?? ['application/json'];
    const headers = route.toldDegraded ? { ...own, [DEGRADED.name]: DEGRADED.description } : own;
    responses[Number(status)] = {
      description,
      ...(headers && {
        headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, headerOf(text)])),
      }),
      content: {
        ...Object.fromEntries(types.map((type) => [type, { schema }])),
        ...(events && { [EVENT_STREAM]: { schema: events } }),
      },
    };
  }
  for (const code of problemsOf(route)) {
    const { status, title } = ERRORS[code];
    const before = responses[status];
    const sentence = `\`${code}\`: ${title}`;
    responses[status] = {
      description: before === undefined ? sentence : `${before.description}\n\n${sentence}`,
      content: { ...before?.content, [PROBLEM_TYPE]: { schema: ProblemSchema } },
    };
  }
  return responses;
}

/** A route's schemas as fastify checks and serialises by them and as the document at `/docs` shows them. */
export function fastifySchemaOf(route: HttpRoute): FastifySchema {
  const { response: _, ...requestParts } = route.schema;
  return {
    ...requestParts,
    response: responsesOf(route),
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    'x-scope': route.scope,
  } as FastifySchema;
}

/** The OpenAPI 3.1 document of all routes that are added afterwards, at `/docs` and `/docs/json`. */
export async function addDocs(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Agent-Reach',
        version,
        description: 'Say what you need; Agent-Reach finds the agent that can do it and gets it done.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'routing', description: 'An intent to an agent.' },
        { name: 'requests', description: 'How far it is, and how it ended.' },
        { name: 'sessions', description: 'What is remembered of conversations.' },
        { name: 'tickets', description: 'Questions for people.' },
        { name: 'tuning', description: 'Which weights decide.' },
        { name: 'labels', description: 'What is right, as people have said or shown it.' },
        { name: 'agents', description: 'What exists.' },
        { name: 'live', description: 'What happens, while it happens.' },
        { name: 'service', description: 'The service itself.' },
      ],
    },
  });
  // The page would otherwise have a service on the internet judge the document.
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { validatorUrl: 'none' } });
}
