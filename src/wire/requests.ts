import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { type DispatchAnswer, DispatchAnswerSchema, FINAL_STATES, LANES, RequestId } from './dispatch.js';
import { Nullable } from './nullable.js';
import { closed, Time } from './schema-parts.js';

export const OPEN_STATES = [
  'queued',
  'routing',
  'delivered',
  'acknowledged',
  'processing',
  'retry_waiting',
] as const;
export const REQUEST_STATES = [...OPEN_STATES, ...FINAL_STATES] as const;

/** One state of a request. */
export const StateEntrySchema = Type.Object({
  state: Type.Enum([...REQUEST_STATES]),
  at: Time('Since when'),
  node: Type.String({ description: 'The process that brought it there.' }),
  attempt: Type.Optional(Type.Integer({ description: 'The attempt that did, from 1.' })),
});
export type StateEntry = Camel<Static<typeof StateEntrySchema>>;

const CallbackSchema = Type.Object({
  state: Type.Enum(['waiting', 'taken', 'given_up']),
  attempts: Type.Integer(),
  last_error: Nullable(Type.String()),
});

const summary = {
  request_id: RequestId,
  state: Type.Enum([...REQUEST_STATES]),
  lane: Type.Enum([...LANES]),
  mode: Type.Enum(['sync', 'async'], { description: 'Whether its caller waits for it.' }),
  accepted_at: Time('When it came'),
  deadline_at: Time('When it ends at the latest'),
};

/** A request as it stands. */
export const RequestStatusSchema = Type.Object({
  ...summary,
  history: Type.Array(StateEntrySchema),
  answer: Nullable(DispatchAnswerSchema, 'Once it has ended.'),
  callback: Nullable(CallbackSchema),
});
export type RequestStatusWire = Static<typeof RequestStatusSchema>;
export type RequestStatus = Camel<RequestStatusWire>;

export const RequestListSchema = Type.Object({ requests: Type.Array(Type.Object(summary)) });
export type RequestListWire = Static<typeof RequestListSchema>;
export type RequestList = Camel<RequestListWire>;

/** What a follower of a request is told, in order; `id` counts from 1 and resumes after it. */
export type RequestEvent =
  | { readonly event: 'state'; readonly id: number; readonly data: StateEntry }
  | { readonly event: 'queued'; readonly id: number; readonly data: { readonly place: number } }
  | { readonly event: 'progress' | 'delta'; readonly id: number; readonly data: unknown }
  | { readonly event: 'lost'; readonly id: number; readonly data: { readonly count: number } }
  | { readonly event: 'answer'; readonly id: number; readonly data: DispatchAnswer };

/** What an agent posts to `reply_to` after it took work with a 202. */
export const AgentReplySchema = Type.Object(
  {
    state: Type.Enum(['processing', 'completed', 'failed']),
    result: Type.Optional(Type.Unknown()),
    reply: Type.Optional(Nullable(Type.String())),
    entities: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
    need_human_handoff: Type.Optional(Nullable(Type.Boolean())),
    error: Type.Optional(
      Type.Object(
        {
          detail: Type.String(),
          errors: Type.Optional(
            Type.Array(
              Type.Object({ pointer: Type.String(), expected: Type.String(), received: Type.String() }),
            ),
          ),
        },
        closed,
      ),
    ),
    progress: Type.Optional(Type.Unknown({ description: 'For whoever follows the request.' })),
  },
  closed,
);
export type AgentReplyWire = Static<typeof AgentReplySchema>;
export type AgentReply = Camel<AgentReplyWire>;

/** How many wait and run, by lane. */
const ByLane = Type.Object({ P0: Type.Integer(), P1: Type.Integer(), P2: Type.Integer() });
const Slots = Type.Object({ slots: Type.Integer(), used: Type.Integer() });

export const QueuesSchema = Type.Object({
  agents: Type.Array(
    Type.Object({
      agent_name: Type.String(),
      instances: Type.Array(
        Type.Object({
          instance_id: Type.String(),
          lanes: Type.Object({ P0: Slots, P1: Slots, P2: Slots }),
        }),
      ),
      waiting: ByLane,
    }),
  ),
  requests: Type.Object({ waiting: ByLane, running: ByLane }, { description: 'Asynchronous ones.' }),
});
export type QueuesWire = Static<typeof QueuesSchema>;
export type Queues = Camel<QueuesWire>;

export const requestStatusCodec = codecOf<typeof RequestStatusSchema, RequestStatusWire>(RequestStatusSchema);
export const requestListCodec = codecOf<typeof RequestListSchema, RequestListWire>(RequestListSchema);
export const agentReplyCodec = codecOf<typeof AgentReplySchema, AgentReplyWire>(AgentReplySchema);
export const queuesCodec = codecOf<typeof QueuesSchema, QueuesWire>(QueuesSchema);
