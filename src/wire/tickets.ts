import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { AttemptSchema } from './dispatch.js';
import { Nullable } from './nullable.js';
import { PayloadFieldsSchema } from './payload-fields.js';
import { RightCapability } from './records.js';
import { DecisionSchema } from './route.js';
import { closed, Id, Time } from './schema-parts.js';

export const TICKET_STATES = ['open', 'claimed', 'resolved'] as const;
const TICKET_CAUSES = [
  'low_confidence',
  'no_way_left',
  'p0_fail_fast',
  'repeated_refusal',
  'agent_handoff',
] as const;

/** The longest claim. */
const MAX_CLAIM_MS = 86_400_000;

const By = Id('Who does this.');

const TicketRequestSchema = Type.Object({
  request_id: Nullable(Type.String(), 'Null where it was only routed.'),
  route_id: Nullable(Type.String(), 'Null where nothing was decided.'),
  at: Time('When it came to this'),
  intent: Nullable(Type.String({ description: 'Its first 1,000 characters.' })),
  payload_fields: PayloadFieldsSchema,
  user: Nullable(Type.String({ description: 'A hash that is the same for the same user_id.' })),
  session_id: Nullable(Type.String()),
  trace_id: Nullable(Type.String({ description: "Of the caller's W3C traceparent." })),
});

const ResolutionSchema = Type.Object({
  by: Type.String(),
  at: Time('When'),
  right_capability: Nullable(Type.String()),
  note: Nullable(Type.String()),
});

const summary = {
  ticket_id: Type.String(),
  state: Type.Enum([...TICKET_STATES]),
  cause: Type.Enum([...TICKET_CAUSES]),
  sentence: Type.String({ description: 'What the question is.' }),
  count: Type.Integer({ description: 'How often the same cause has come.' }),
  first_at: Time('When it came first'),
  last_at: Time('When it came last'),
  claimed_by: Nullable(Type.String()),
  claimed_until: Nullable(Time('When the claim ends by itself')),
  resolution: Nullable(ResolutionSchema),
};

/** A question for a person. */
export const TicketSchema = Type.Object({
  ...summary,
  requests: Type.Array(TicketRequestSchema, { description: 'The last 10 of that cause, oldest first.' }),
  decision: Nullable(DecisionSchema, 'On the last of them.'),
  attempts: Type.Array(AttemptSchema, { description: 'Of the last of them.' }),
});
export type TicketWire = Static<typeof TicketSchema>;
export type Ticket = Camel<TicketWire>;

export const TicketListSchema = Type.Object({ tickets: Type.Array(Type.Object(summary)) });
export type TicketListWire = Static<typeof TicketListSchema>;
export type TicketList = Camel<TicketListWire>;

export const TicketClaimSchema = Type.Object(
  {
    by: By,
    for_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_CLAIM_MS,
        description: 'After which it goes back to the queue by itself, default 900,000.',
      }),
    ),
  },
  closed,
);
export type TicketClaimWire = Static<typeof TicketClaimSchema>;
export type TicketClaim = Camel<TicketClaimWire>;

export const TicketReleaseSchema = Type.Object({ by: By }, closed);
export type TicketReleaseWire = Static<typeof TicketReleaseSchema>;
export type TicketRelease = Camel<TicketReleaseWire>;

export const TicketResolutionSchema = Type.Object(
  {
    by: By,
    right_capability: Type.Optional(RightCapability),
    note: Type.Optional(Type.String({ maxLength: 10_000, description: 'For whoever reads it later.' })),
  },
  closed,
);
export type TicketResolutionWire = Static<typeof TicketResolutionSchema>;
export type TicketResolution = Camel<TicketResolutionWire>;

export const ticketCodec = codecOf<typeof TicketSchema, TicketWire>(TicketSchema);
export const ticketListCodec = codecOf<typeof TicketListSchema, TicketListWire>(TicketListSchema);
export const ticketClaimCodec = codecOf<typeof TicketClaimSchema, TicketClaimWire>(TicketClaimSchema);
export const ticketReleaseCodec = codecOf<typeof TicketReleaseSchema, TicketReleaseWire>(TicketReleaseSchema);
export const ticketResolutionCodec = codecOf<typeof TicketResolutionSchema, TicketResolutionWire>(
  TicketResolutionSchema,
);
