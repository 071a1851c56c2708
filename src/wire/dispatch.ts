import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { DecisionSchema, routeRequestFields } from './route.js';
import { closed, Time } from './schema-parts.js';

export const LANES = ['P0', 'P1', 'P2'] as const;
export type Lane = (typeof LANES)[number];

const DeadlineMs = (description: string) =>
  Type.Integer({ minimum: 1, maximum: LIMITS.deadlineMs, description });

/** What a caller may name a request, so that it fits a header, a path (where `..` would lead elsewhere) and a file. */
export const REQUEST_ID = '[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,127}';
export const RequestId = Type.String({
  pattern: `^${REQUEST_ID}$`,
  description: '1 to 128 letters, digits, `_`, `:`, `-` and, behind the first, `.`',
});

const Deadlines = Type.Object(
  {
    seek_ms: Type.Optional(
      DeadlineMs('To decide and for a slot; default P0 150, P1 2,000, P2 30,000, asynchronous 600,000.'),
    ),
    ack_ms: Type.Optional(DeadlineMs('To the first event of a stream; default P0 200, else 2,000.')),
    execute_ms: Type.Optional(
      DeadlineMs("For the agents' work; default the capability's deadline_ms, else 5,000 (P2 30,000)."),
    ),
  },
  closed,
);

const RetryPolicy = Type.Object(
  {
    max_attempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.attempts, description: 'All together, default 3.' }),
    ),
    backoff_base_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'The most that is waited first, default 200.',
      }),
    ),
    backoff_factor: Type.Optional(
      Type.Number({ minimum: 1, maximum: 10, description: 'How it grows each time, default 2.' }),
    ),
  },
  closed,
);

/** The fields of a request whose caller waits for its answer. */
export const awaitedRequestFields = {
  ...routeRequestFields,
  request_id: Type.Optional(RequestId),
  lane: Type.Optional(Type.Enum([...LANES], { description: 'How urgent it is, default P1.' })),
  deadlines: Type.Optional(Deadlines),
  retry_policy: Type.Optional(RetryPolicy),
  check_result: Type.Optional(
    Type.Boolean({ description: "Check the result against the capability's output_schema." }),
  ),
};

export const DispatchRequestSchema = Type.Object(
  {
    ...awaitedRequestFields,
    callback_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.addressChars,
        description: 'Where to send the request when it has ended; makes it asynchronous.',
      }),
    ),
  },
  closed,
);
export type DispatchRequestWire = Static<typeof DispatchRequestSchema>;
export type DispatchRequest = Camel<DispatchRequestWire>;

export const AttemptSchema = Type.Object({
  agent_name: Type.String(),
  instance_id: Type.String(),
  capability_id: Type.String(),
  started_at: Time('When it was begun'),
  elapsed_ms: Type.Number(),
  outcome: Type.Enum(['completed', 'failed', 'refused', 'timeout', 'cancelled']),
  error_code: Type.Optional(Type.String()),
});

export const FINAL_STATES = ['completed', 'failed', 'cancelled', 'handed_off'] as const;

/** What went wrong. */
export const DispatchErrorSchema = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  retryable: Type.Boolean(),
  retry_after_ms: Type.Optional(Type.Number()),
  errors: Type.Array(
    Type.Object({ pointer: Type.String(), expected: Type.String(), received: Type.String() }),
  ),
});

export const DispatchAnswerSchema = Type.Object({
  request_id: Type.String(),
  state: Type.Enum([...FINAL_STATES]),
  result: Type.Optional(Type.Unknown({ description: "The agent's result, as it came." })),
  reply: Type.Optional(Type.String({ description: "The agent's words for the person, where it has any." })),
  entities: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the agent keeps for the rest of the conversation.',
    }),
  ),
  error: Type.Optional(DispatchErrorSchema),
  degraded: Type.Boolean({ description: 'The result stands in for one that could not be had: see `error`.' }),
  decision: Nullable(DecisionSchema, 'Null where the request ended before anything was decided.'),
  attempts: Type.Array(AttemptSchema),
  waited_ms: Type.Number({ description: 'For slots.' }),
  elapsed_ms: Type.Number(),
  ticket_id: Type.Optional(Type.String()),
  session_unavailable: Type.Optional(
    Type.Boolean({ description: 'The session could not be read or written; it was gone on without.' }),
  ),
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
