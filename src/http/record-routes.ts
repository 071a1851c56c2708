import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import {
  OutcomeAnswerSchema,
  OutcomeReportSchema,
  type OutcomeReportWire,
  outcomeAnswerCodec,
  outcomeReportCodec,
  RecordedDecisionSchema,
  recordedDecisionCodec,
  TrendSchema,
  trendCodec,
} from '../wire/records.js';
import type { HttpRoute } from './http-route.js';
import { begun, inPieces, RECORDED_TEXT } from './recorded-text.js';
import { Hours, hoursIn, JSON_BODY, NO_BODY, ok } from './route-parts.js';

const RouteParams = Type.Object({
  route_id: Type.String({
    minLength: 1,
    maxLength: LIMITS.idChars,
    description: 'The route_id of a decision.',
  }),
});

const AgentName = Type.String({
  minLength: 1,
  maxLength: LIMITS.idChars,
  description: "An agent's agent_name.",
});

const ExportQuery = Type.Object(
  {
    hours: Hours(LIMITS.exportHours),
    intent: Type.Optional(
      Type.String({ description: 'Only intents that hold this text, or fit this `/regular expression/`.' }),
    ),
    agent: Type.Optional(AgentName),
    newest_first: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'Whether the newest comes first; else the oldest does.' }),
    ),
    format: Type.Optional(
      Type.Enum(['jsonl', 'csv'], { description: 'A JSON object a line (the default), or CSV.' }),
    ),
  },
  { additionalProperties: false },
);
const TrendQuery = Type.Object(
  { agent_name: AgentName, hours: Hours(LIMITS.trendHours) },
  { additionalProperties: false },
);

/** What was decided, and what became of it. */
export const recordRoutes: readonly HttpRoute[] = [
  {
    method: 'POST',
    url: '/api/v1/routes/:route_id/outcome',
    operationId: 'reportOutcome',
    summary: 'Tell what became of a call that you made yourself; it counts for the health of the instance.',
    tag: 'routing',
    scope: 'route',
    ...JSON_BODY,
    schema: {
      params: RouteParams,
      body: OutcomeReportSchema,
      response: { 200: { description: 'It is kept with the decision.', schema: OutcomeAnswerSchema } },
    },
    problems: ['ROUTE_UNKNOWN', 'OUTCOME_REPORTED', 'CAPABILITY_UNKNOWN', 'STORE_UNAVAILABLE', 'NOT_READY'],
    async handle({ reach, params, body }) {
      const { route_id: routeId } = params as Static<typeof RouteParams>;
      const report = outcomeReportCodec.decode(body as OutcomeReportWire);
      return ok(outcomeAnswerCodec.encode(await reach.outcome(routeId, report)));
    },
  },
  {
    method: 'GET',
    url: '/api/v1/routes/export',
    operationId: 'exportRoutes',
    summary: 'The recorded decisions, in the order of time, as a stream.',
    tag: 'routing',
    scope: 'read',
    ...NO_BODY,
    streams: ['application/jsonl', 'text/csv'],
    schema: {
      querystring: ExportQuery,
      response: { 200: { description: 'A decision a line.', schema: RecordedDecisionSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { hours, intent, agent, newest_first, format = 'jsonl' } = query as Static<typeof ExportQuery>;
      const decisions = reach.exportRoutes({
        ...hoursIn(hours),
        ...(intent !== undefined && { intent }),
        ...(agent !== undefined && { agentName: agent }),
        ...(newest_first === 'true' && { newestFirst: true }),
      });
      const { contentType, heading, line } = RECORDED_TEXT[format];
      const lines = async function* () {
        for await (const decision of decisions) yield line(recordedDecisionCodec.encode(decision));
      };
      return { status: 200, contentType, pieces: await begun(inPieces(heading, lines())) };
    },
  },
  {
    method: 'GET',
    url: '/api/v1/reachability/trend',
    operationId: 'reachabilityTrend',
    summary: 'How reachable an agent was, by the minute, hour and day.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: TrendQuery,
      response: { 200: { description: 'The trend, oldest first.', schema: TrendSchema } },
    },
    problems: ['AGENT_UNKNOWN', 'STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { agent_name: agentName, hours } = query as Static<typeof TrendQuery>;
      const trend = hours === undefined ? reach.trend(agentName) : reach.trend(agentName, Number(hours));
      return ok(trendCodec.encode(await trend));
    },
  },
];
