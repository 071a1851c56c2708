import { setImmediate } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { WeightsSchema } from '../routing/weights.js';
import { LIMITS } from '../wire/limits.js';
import { closed } from '../wire/schema-parts.js';
import {
  ApplyOptionsSchema,
  applyOptionsCodec,
  RollbackSchema,
  type RollbackWire,
  rollbackCodec,
  TuningSchema,
  tuningCodec,
} from '../wire/tuning.js';
import type { HttpRoute } from './http-route.js';
import { JSON_BODY, NO_BODY, NoQuery, ok } from './route-parts.js';

/** Weights that were tuned on a large catalogue name all of its capabilities. */
const WEIGHTS_BODY = { ...JSON_BODY, bodyLimit: LIMITS.manifestBytes } as const;

const ApplySchema = Type.Object({ weights: WeightsSchema, ...ApplyOptionsSchema.properties }, closed);
const ShadowSchema = Type.Object({ weights: WeightsSchema }, closed);

/** Those of a large catalogue have taken their time already: others come between reading them and their use. */
async function weightsIn<Body extends { readonly weights: unknown }>(body: unknown): Promise<Body> {
  await setImmediate();
  return body as Body;
}

const url = '/api/v1/tuning';
const reading = { tag: 'tuning', scope: 'read' } as const;
const changing = { tag: 'tuning', scope: 'admin' } as const;
const answering = (description: string) => ({ 200: { description, schema: TuningSchema } });

/** Which weights decide. */
export const tuningRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url,
    operationId: 'getTuning',
    summary: 'Show which weights are in force, which were, and which answer in their shadow.',
    ...reading,
    ...NO_BODY,
    schema: { querystring: NoQuery, response: answering('The tuning.') },
    problems: ['STORE_UNAVAILABLE'],
    handle: async ({ reach }) => ok(tuningCodec.encode(await reach.tuning())),
  },
  {
    method: 'GET',
    url: `${url}/weights`,
    operationId: 'getWeights',
    summary: 'Show the weights in force, as their file has them.',
    ...reading,
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The weights.', schema: WeightsSchema } },
    },
    problems: [],
    handle: ({ reach }) => ok(reach.weights()),
  },
  {
    method: 'POST',
    url,
    operationId: 'applyWeights',
    summary: 'Put weights into force at once, without a restart.',
    ...changing,
    ...WEIGHTS_BODY,
    schema: { querystring: NoQuery, body: ApplySchema, response: answering('They are in force.') },
    problems: ['WEIGHTS_FOREIGN', 'TUNING_CONFLICT', 'STORE_UNAVAILABLE'],
    async handle({ reach, body }) {
      const { weights, ...options } = await weightsIn<Static<typeof ApplySchema>>(body);
      return ok(tuningCodec.encode(await reach.applyWeights(weights, applyOptionsCodec.decode(options))));
    },
  },
  {
    method: 'POST',
    url: `${url}/rollback`,
    operationId: 'rollBackWeights',
    summary: 'Take the newest weights back: those before them are in force again.',
    ...changing,
    ...JSON_BODY,
    schema: { querystring: NoQuery, body: RollbackSchema, response: answering('They are taken back.') },
    problems: ['TUNING_CONFLICT', 'TUNING_AT_FIRST', 'STORE_UNAVAILABLE'],
    async handle({ reach, body }) {
      const options = rollbackCodec.decode(body as RollbackWire);
      return ok(tuningCodec.encode(await reach.rollBackWeights(options)));
    },
  },
  {
    method: 'PUT',
    url: `${url}/shadow`,
    operationId: 'setShadowWeights',
    summary: 'Let weights answer beside those in force, without effect.',
    ...changing,
    ...WEIGHTS_BODY,
    schema: { querystring: NoQuery, body: ShadowSchema, response: answering('They are in the shadow.') },
    problems: ['WEIGHTS_FOREIGN', 'STORE_UNAVAILABLE'],
    async handle({ reach, body }) {
      const { weights } = await weightsIn<Static<typeof ShadowSchema>>(body);
      return ok(tuningCodec.encode(await reach.shadowWeights(weights)));
    },
  },
  {
    method: 'DELETE',
    url: `${url}/shadow`,
    operationId: 'removeShadowWeights',
    summary: 'Let no weights answer beside those in force any more.',
    ...changing,
    ...NO_BODY,
    schema: { querystring: NoQuery, response: answering('There are none.') },
    problems: ['STORE_UNAVAILABLE'],
    handle: async ({ reach }) => ok(tuningCodec.encode(await reach.shadowWeights(null))),
  },
];
