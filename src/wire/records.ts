import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { PayloadFieldsSchema } from './payload-fields.js';
import { DecisionSchema } from './route.js';
import { Time } from './schema-parts.js';

const { properties: decided } = DecisionSchema;
const { properties: candidate } = decided.candidates.items;

const Status = Type.Enum(['completed', 'failed', 'refused', 'timeout', 'unreachable'], {
  description:
    'What became of the call: `refused` is the fault of what was sent, `unreachable` no connection.',
});
const LatencyMs = Type.Number({
  minimum: 0,
  maximum: LIMITS.deadlineMs,
  description: 'From the call to its end.',
});
export const RightCapability = Type.String({
  minLength: 1,
  maxLength: 2 * LIMITS.idChars,
  description: 'The capability that would have been right, as `agent_name/id`.',
});

/** What a caller that called the target itself tells of it. */
export const OutcomeReportSchema = Type.Object(
  {
    status: Status,
    latency_ms: Type.Optional(LatencyMs),
    right_capability: Type.Optional(RightCapability),
  },
  {
    additionalProperties: false,
    examples: [{ status: 'failed', latency_ms: 120, right_capability: 'orders-agent/order-status' }],
  },
);
export type OutcomeReportWire = Static<typeof OutcomeReportSchema>;
export type OutcomeReport = Camel<OutcomeReportWire>;

export const OutcomeAnswerSchema = Type.Object({ route_id: Type.String() });
export type OutcomeAnswerWire = Static<typeof OutcomeAnswerSchema>;
export type OutcomeAnswer = Camel<OutcomeAnswerWire>;

/** A decision as it is kept: without the payload's values, and with nothing that names a person but the intent. */
export const RecordedDecisionSchema = Type.Object({
  route_id: decided.route_id,
  at: Time('When it was decided'),
  intent: Nullable(Type.String()),
  payload_fields: PayloadFieldsSchema,
  user: Nullable(Type.String({ description: 'A hash that is the same for the same user_id.' })),
  outcome: decided.outcome,
  target_agent: decided.target_agent,
  capability_id: decided.capability_id,
  instance_id: decided.instance_id,
  addr_version: decided.addr_version,
  confidence: decided.confidence,
  threshold: decided.threshold,
  score: decided.score,
  candidates: Type.Array(
    Type.Object({
      agent_name: candidate.agent_name,
      capability_id: candidate.capability_id,
      confidence: candidate.confidence,
      score: candidate.score,
      excluded_by: candidate.excluded_by,
    }),
  ),
  timing_ms: decided.timing_ms,
  catalogue_version: decided.catalogue_version,
  weights_version: decided.weights_version,
  reported: Nullable(
    Type.Object({
      status: Status,
      latency_ms: Nullable(LatencyMs),
      right_capability: Nullable(RightCapability),
    }),
  ),
  shadow: Nullable(
    Type.Object({
      weights_version: Type.String(),
      outcome: decided.outcome,
      target_agent: decided.target_agent,
      capability_id: decided.capability_id,
      confidence: decided.confidence,
    }),
    'What the weights in the shadow would have decided; null where none were asked.',
  ),
});
export type RecordedDecisionWire = Static<typeof RecordedDecisionSchema>;
export type RecordedDecision = Camel<RecordedDecisionWire>;

const TrendPointsSchema = Type.Array(
  Type.Object({
    at: Time('When the minute, hour or day begins'),
    reachability: Type.Object({
      mean: Type.Number({ description: 'Of all instances and samples.' }),
      min: Type.Number({ description: 'The least of any instance in any sample.' }),
    }),
    eligible: Type.Integer({ description: 'Instances that could take work: the fewest in any sample.' }),
    registered: Type.Integer({ description: 'Instances: the most in any sample.' }),
    routed: Type.Integer({ description: 'Decisions by which this agent takes the work.' }),
    failed: Type.Integer({ description: 'Calls that failed, timed out or found nobody.' }),
  }),
);

/** How reachable an agent was, oldest first. */
export const TrendSchema = Type.Object({
  agent_name: Type.String(),
  minutes: TrendPointsSchema,
  hours: TrendPointsSchema,
  days: TrendPointsSchema,
});
export type TrendWire = Static<typeof TrendSchema>;
export type Trend = Camel<TrendWire>;
export type TrendPoint = Trend['minutes'][number];

export const outcomeReportCodec = codecOf<typeof OutcomeReportSchema, OutcomeReportWire>(OutcomeReportSchema);
export const outcomeAnswerCodec = codecOf<typeof OutcomeAnswerSchema, OutcomeAnswerWire>(OutcomeAnswerSchema);
export const recordedDecisionCodec = codecOf<typeof RecordedDecisionSchema, RecordedDecisionWire>(
  RecordedDecisionSchema,
);
export const trendCodec = codecOf<typeof TrendSchema, TrendWire>(TrendSchema);
