import { type Static, Type } from 'typebox';
import { AnyName } from './any-name.js';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { closed, Id, Time } from './schema-parts.js';

const SESSION_KINDS = ['chat', 'task'] as const;

const RoundSchema = Type.Object(
  {
    at: Time('When it ended'),
    intent: Nullable(Type.String(), 'What was asked; null where a capability was named without one.'),
    agent_name: Nullable(Type.String(), 'Null where nobody was asked to do it.'),
    capability_id: Nullable(Type.String()),
    reply: Nullable(Type.String()),
  },
  closed,
);

const ConfirmationSchema = Type.Object(
  {
    route_id: Id('The clarify that waits for its answer.'),
    choices: Type.Array(
      Type.Object({ agent_name: Type.String(), capability_id: Type.String(), name: Type.String() }, closed),
      { maxItems: LIMITS.topK },
    ),
  },
  closed,
);

const AffinitySchema = Type.Object(
  { agent_name: Type.String(), version: Nullable(Type.String()) },
  { ...closed, description: 'Who served it last; it stays there as long as that can take work.' },
);

/** What may be written of a session. */
const content = {
  kind: Type.Enum([...SESSION_KINDS], {
    description: 'A chat is kept for an hour after its last change, a task for 24 hours.',
  }),
  user_id: Nullable(Id('The person behind it.')),
  intent: Nullable(Type.String(), 'The intent that stands: what a follow-up goes on with.'),
  entities: Type.Record(AnyName, Type.Unknown(), { description: 'What agents keep for the conversation.' }),
  rounds: Type.Array(RoundSchema, { maxItems: LIMITS.sessionRounds, description: 'The last ones.' }),
  confirmations: Type.Array(ConfirmationSchema, {
    maxItems: LIMITS.sessionConfirmations,
    description: 'Questions that wait for their answer, the last one first.',
  }),
  summary: Nullable(Type.String()),
  payload_ref: Nullable(Type.String(), 'Where a payload lies that is too large for a session.'),
  affinity: Nullable(AffinitySchema),
};

/** What a session is to hold; what is left out is empty. */
export const SessionContentSchema = Type.Partial(Type.Object(content), closed);
export type SessionContentWire = Static<typeof SessionContentSchema>;
export type SessionContent = Camel<SessionContentWire>;

export const SessionSchema = Type.Object({
  session_id: Type.String(),
  ...content,
  revision: Type.Integer({ description: 'Grows by one with every change.' }),
  updated_at: Time('When it changed last'),
  expires_at: Time('When it is forgotten, unless it changes before'),
});
export type SessionWire = Static<typeof SessionSchema>;
/** What is remembered of a conversation. */
export type Session = Camel<SessionWire>;

const { kind, user_id, intent } = content;
export const SessionListSchema = Type.Object({
  sessions: Type.Array(
    Type.Object({
      session_id: Type.String(),
      kind,
      user_id,
      intent,
      revision: Type.Integer(),
      updated_at: Type.String(),
      expires_at: Type.String(),
    }),
    { description: 'The one that changed last first.' },
  ),
});
export type SessionListWire = Static<typeof SessionListSchema>;
export type SessionList = Camel<SessionListWire>;

export const SessionRemovedSchema = Type.Object({ session_id: Type.String() });
export type SessionRemovedWire = Static<typeof SessionRemovedSchema>;
export type SessionRemoved = Camel<SessionRemovedWire>;

export const sessionContentCodec = codecOf<typeof SessionContentSchema, SessionContentWire>(
  SessionContentSchema,
);
export const sessionCodec = codecOf<typeof SessionSchema, SessionWire>(SessionSchema);
export const sessionListCodec = codecOf<typeof SessionListSchema, SessionListWire>(SessionListSchema);
export const sessionRemovedCodec = codecOf<typeof SessionRemovedSchema, SessionRemovedWire>(
  SessionRemovedSchema,
);
