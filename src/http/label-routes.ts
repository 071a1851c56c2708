import { type Static, Type } from 'typebox';
import {
  LABEL_SOURCES,
  LabelAdditionSchema,
  type LabelAdditionWire,
  LabelRemovedSchema,
  LabelReviewSchema,
  LabelSchema,
  LabelsAddedSchema,
  labelAdditionCodec,
  labelCodec,
  labelRemovedCodec,
  labelReviewCodec,
  labelsAddedCodec,
} from '../wire/labels.js';
import { LIMITS } from '../wire/limits.js';
import type { HttpRoute } from './http-route.js';
import { begun, inPieces } from './recorded-text.js';
import { Hours, hoursIn, JSON_BODY, NO_BODY, NoQuery, ok } from './route-parts.js';

const LabelsQuery = Type.Object(
  {
    source: Type.Optional(Type.Enum([...LABEL_SOURCES], { description: 'only labels that came from there' })),
    hours: Hours(LIMITS.trendHours, 'all'),
  },
  { additionalProperties: false },
);
const LabelParams = Type.Object({
  label_id: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: 'Its label_id.' }),
});

const url = '/api/v1/labels';
const reading = { tag: 'labels', scope: 'read' } as const;
const changing = { tag: 'labels', scope: 'admin' } as const;

/** What people, and callers, have said is right. */
export const labelRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url,
    operationId: 'exportLabels',
    summary: 'The labels, oldest first, as a stream of lines that can be evaluated and imported.',
    ...reading,
    ...NO_BODY,
    streams: ['application/jsonl'],
    schema: {
      querystring: LabelsQuery,
      response: { 200: { description: 'A label a line.', schema: LabelSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { source, hours } = query as Static<typeof LabelsQuery>;
      const labels = reach.labels({ ...(source !== undefined && { source }), ...hoursIn(hours) });
      const lines = async function* () {
        for await (const label of labels) yield `${JSON.stringify(labelCodec.encode(label))}\n`;
      };
      return { status: 200, contentType: 'application/jsonl', pieces: await begun(inPieces('', lines())) };
    },
  },
  {
    method: 'POST',
    url,
    operationId: 'addLabels',
    summary: 'Say which capabilities are right for intents; all of it is kept or nothing.',
    ...changing,
    ...JSON_BODY,
    schema: {
      querystring: NoQuery,
      body: LabelAdditionSchema,
      response: { 200: { description: 'They are kept.', schema: LabelsAddedSchema } },
    },
    problems: ['CAPABILITY_UNKNOWN', 'LABELS_FULL', 'STORE_UNAVAILABLE', 'NOT_READY'],
    async handle({ reach, body }) {
      const addition = labelAdditionCodec.decode(body as LabelAdditionWire);
      return ok(labelsAddedCodec.encode(await reach.addLabels(addition)));
    },
  },
  {
    method: 'DELETE',
    url: `${url}/:label_id`,
    operationId: 'removeLabel',
    summary: 'Remove a label.',
    ...changing,
    ...NO_BODY,
    schema: {
      params: LabelParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is gone.', schema: LabelRemovedSchema } },
    },
    problems: ['LABEL_UNKNOWN', 'STORE_UNAVAILABLE'],
    async handle({ reach, params }) {
      const { label_id: labelId } = params as Static<typeof LabelParams>;
      return ok(labelRemovedCodec.encode(await reach.removeLabel(labelId)));
    },
  },
  {
    method: 'GET',
    url: `${url}/review`,
    operationId: 'reviewLabels',
    summary: 'What a person should look at: contradictions, near-duplicates, capabilities that are gone.',
    ...reading,
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The review.', schema: LabelReviewSchema } },
    },
    problems: ['STORE_UNAVAILABLE', 'NOT_READY'],
    handle: async ({ reach }) => ok(labelReviewCodec.encode(await reach.reviewLabels())),
  },
];
