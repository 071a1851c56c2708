import { Type } from 'typebox';
import { ReachError } from '../errors.js';
import { HealthReportSchema, healthReportCodec } from '../wire/health.js';
import type { HttpRoute } from './http-route.js';
import { NO_BODY, ok } from './route-parts.js';

const AliveSchema = Type.Object({ status: Type.String() });

/**
 * How the service is. Whoever watches a service may add query parameters of its own: these three take no notice of
 * them.
 */
export const serviceRoutes: readonly HttpRoute[] = [
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
