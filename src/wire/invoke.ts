import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { Nullable } from './nullable.js';
import { closed, Id } from './schema-parts.js';

/** One message of a person, as chat platforms pass it on. */
export const ChatMessageSchema = Type.Object(
  {
    session_id: Id('The conversation on the platform.'),
    user_id: Type.Optional(Id('Who wrote it.')),
    message: Type.String({
      description:
        'What was written: 1 to 20,000 characters after trimming. A number or a name answers a question.',
    }),
    platform: Type.Optional(Id('Where it was written.')),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The data for the work, where there is any.',
      }),
    ),
  },
  closed,
);
export type ChatMessageWire = Static<typeof ChatMessageSchema>;
export type ChatMessage = Camel<ChatMessageWire>;

export const ChatReplySchema = Type.Object({
  agent_id: Nullable(Type.String(), 'Who did it; null where nobody was asked to.'),
  reply: Type.String({ description: 'What to show to the person.' }),
  session_id: Type.String(),
  spent_ms: Type.Number(),
  need_human_handoff: Type.Boolean({ description: 'A person has to take over.' }),
});
export type ChatReplyWire = Static<typeof ChatReplySchema>;
export type ChatReply = Camel<ChatReplyWire>;

export const chatMessageCodec = codecOf<typeof ChatMessageSchema, ChatMessageWire>(ChatMessageSchema);
export const chatReplyCodec = codecOf<typeof ChatReplySchema, ChatReplyWire>(ChatReplySchema);
