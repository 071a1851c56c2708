import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { DecisionSchema, routeRequestFields } from './route.js';

const closed = { additionalProperties: false } as const;

export const LANES = ['P0', 'P1', 'P2'] as const;
export type Lane = (typeof LANES)[number];

const DeadlineMs = (description: string) =>
  Type.Integer({ minimum: 1, maximum: LIMITS.deadlineMs, description });

export const DispatchRequestSchema = Type.Object(
  {
    ...routeRequestFields,
    lane: Type.Optional(Type.Enum([...LANES], { description: 'How urgent it is, default P1.' })),
    deadlines: Type.Optional(
      Type.Object(
        {
          seek_ms: Type.Optional(DeadlineMs('For routing; default P0 150, P1 2,000, P2 30,000.')),
          execute_ms: Type.Optional(
            DeadlineMs("For the agent's work; default the capability's deadline_ms, else 5,000 (P2 30,000)."),
          ),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type DispatchRequestWire = Static<typeof DispatchRequestSchema>;
export type DispatchRequest = Camel<DispatchRequestWire>;

const AttemptSchema = Type.Object({
  instance_id: Type.String(),
  capability_id: Type.String(),
  started_at: Type.String({ description: 'RFC 3339, UTC.' }),
  elapsed_ms: Type.Number(),
  outcome: Type.Enum(['completed', 'failed', 'refused', 'timeout']),
  error_code: Type.Optional(Type.String()),
});

export const DispatchAnswerSchema = Type.Object({
  request_id: Type.String(),
  state: Type.Enum(['completed', 'failed', 'handed_off']),
  result: Type.Optional(Type.Unknown({ description: "The agent's result, as it came." })),
  reply: Type.Optional(Type.String({ description: "The agent's words for the person, where it has any." })),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      detail: Type.String(),
      retryable: Type.Boolean(),
      retry_after_ms: Type.Optional(Type.Number()),
      errors: Type.Array(
        Type.Object({ pointer: Type.String(), expected: Type.String(), received: Type.String() }),
      ),
    }),
  ),
  degraded: Type.Boolean(),
  decision: DecisionSchema,
  attempts: Type.Array(AttemptSchema),
  elapsed_ms: Type.Number(),
});
export type DispatchAnswerWire = Static<typeof DispatchAnswerSchema>;
export type DispatchAnswer = Camel<DispatchAnswerWire>;
export type Attempt = DispatchAnswer['attempts'][number];

export const dispatchRequestCodec = codecOf<typeof DispatchRequestSchema, DispatchRequestWire>(
  DispatchRequestSchema,
);
export const dispatchAnswerCodec = codecOf<typeof DispatchAnswerSchema, DispatchAnswerWire>(
  DispatchAnswerSchema,
);
