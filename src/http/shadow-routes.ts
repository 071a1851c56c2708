import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import { ShadowComparisonSchema, shadowComparisonCodec } from '../wire/shadow.js';
import type { HttpRoute } from './http-route.js';
import { Hours, hoursIn, NO_BODY, ok } from './route-parts.js';

const CompareQuery = Type.Object({ hours: Hours(LIMITS.exportHours) }, { additionalProperties: false });

/** What the weights in the shadow would have changed. */
export const shadowRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/tuning/compare',
    operationId: 'compareShadow',
    summary: 'Where the weights in force and those in their shadow differ, and who was right.',
    tag: 'tuning',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: CompareQuery,
      response: { 200: { description: 'The comparison.', schema: ShadowComparisonSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { hours } = hoursIn((query as Static<typeof CompareQuery>).hours);
      return ok(shadowComparisonCodec.encode(await reach.compareShadow(hours)));
    },
  },
];
