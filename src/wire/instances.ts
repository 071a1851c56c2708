import { type Static, Type } from 'typebox';
import { AnyName } from './any-name.js';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { closed, Time } from './schema-parts.js';

const Address = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.addressChars, description });
const Label = Type.String({ maxLength: LIMITS.idChars });
/** As AnyName, but bounded: labels of instances are kept by the hundred thousand. */
const LabelName = Type.String({ pattern: '^[\\s\\S]{0,128}$' });
const MAX_LABELS = 64;
const Whole = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** An instance's id: 1 to 128 characters of any script, no control characters, no space at the ends. */
export const InstanceId = Type.String({
  pattern: '^(?!\\s)[^\\p{Cc}\\p{Cs}]{1,128}(?<!\\s)$',
  description: '1 to 128 characters without control characters, and no space at the ends',
});

const Incarnation = Whole(
  'When its program started, in ms since the epoch; a higher one is a newer program.',
);

export const RegistrationSchema = Type.Object(
  {
    address: Address('Where it is called: http or https, with an optional base path.'),
    health_address: Type.Optional(
      Address("The whole URL that is probed; by default the manifest's health_endpoint under the address."),
    ),
    weight: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: 'Its share of the work among its siblings, by default 100; 0: none.',
      }),
    ),
    region: Type.Optional(Label),
    labels: Type.Optional(Type.Record(LabelName, Label, { maxProperties: MAX_LABELS })),
    version: Type.Optional(Type.String({ maxLength: LIMITS.idChars, description: 'Of its program.' })),
    incarnation: Type.Optional(Incarnation),
    draining: Type.Optional(Type.Boolean({ description: 'It finishes what it has and takes nothing new.' })),
  },
  {
    ...closed,
    description:
      'An instance. Registered again from the same address it is edited, and keeps what is left out; a new program, or one at another address, keeps the weight alone.',
  },
);
export type RegistrationWire = Static<typeof RegistrationSchema>;
export type Registration = Camel<RegistrationWire>;

const termFields = {
  next_heartbeat_ms: Type.Integer({ description: 'When to send the next heartbeat, from now.' }),
  lease_ms: Type.Integer({ description: 'Without a heartbeat it counts as expired after this time.' }),
};

export const RegisteredSchema = Type.Object({
  agent_name: Type.String(),
  instance_id: Type.String(),
  addr_version: Type.Integer({ description: 'Grows with every new address of the instance.' }),
  ...termFields,
});
export type RegisteredWire = Static<typeof RegisteredSchema>;
export type Registered = Camel<RegisteredWire>;

export const HeartbeatSchema = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(['up', 'paused', 'draining'], {
        description: 'What it takes: work, none for now, or none any more. By default `up`.',
      }),
    ),
    pending: Type.Optional(Whole('Calls that it works on.')),
    load: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    seq: Type.Optional(Whole('Higher with each heartbeat of a program.')),
    sent_at: Type.Optional(Whole('When it was sent, in ms since the epoch.')),
    incarnation: Type.Optional(Incarnation),
  },
  closed,
);
export type HeartbeatWire = Static<typeof HeartbeatSchema>;
export type Heartbeat = Camel<HeartbeatWire>;

export const HeartbeatAnswerSchema = Type.Object({
  ...termFields,
  commands: Type.Array(Type.Enum(['pause', 'resume']), { description: 'What it is to do.' }),
});
export type HeartbeatAnswerWire = Static<typeof HeartbeatAnswerSchema>;
export type HeartbeatAnswer = Camel<HeartbeatAnswerWire>;

export const LeaveAnswerSchema = Type.Object({ agent_name: Type.String(), instance_id: Type.String() });
export type LeaveAnswerWire = Static<typeof LeaveAnswerSchema>;
export type LeaveAnswer = Camel<LeaveAnswerWire>;

const statusFields = {
  instance_id: Type.String(),
  address: Type.String(),
  addr_version: Type.Integer({ description: 'Grows with every new address of the instance.' }),
  health_address: Nullable(Type.String(), "Null: the manifest's health_endpoint under the address."),
  weight: Type.Integer(),
  region: Nullable(Type.String(), 'Null where it names none.'),
  labels: Type.Record(AnyName, Type.String()),
  version: Nullable(Type.String(), 'Of its program; null where it does not say.'),
  incarnation: Nullable(
    Type.Integer(),
    'When its program started, in ms since the epoch; null where it does not say.',
  ),
  origin: Type.Enum(['manifest', 'registered'], { description: 'Who named it.' }),
  draining: Type.Boolean(),
  state: Type.String(),
  reason: Type.String({ description: 'Why it came into this state.' }),
  since: Time('Since when it has this state'),
  reachability: Type.Number({ description: '0 to 1.' }),
  pending: Type.Integer({ description: 'Calls that it works on.' }),
  lease_ms: Nullable(
    Type.Integer(),
    'What is left of its lease: 0 where it is over, null where it has none.',
  ),
  last_heartbeat: Nullable(Time('When its last heartbeat came'), 'Null where none has.'),
};

export const InstanceListSchema = Type.Object({
  agent_name: Type.String(),
  instances: Type.Array(Type.Object(statusFields)),
});
export type InstanceListWire = Static<typeof InstanceListSchema>;
export type InstanceList = Camel<InstanceListWire>;
export type InstanceStatus = InstanceList['instances'][number];

export const InstanceDetailSchema = Type.Object({
  agent_name: Type.String(),
  ...statusFields,
  history: Type.Array(
    Type.Object({
      at: Time('When'),
      from: Nullable(Type.String(), 'Null: it came.'),
      to: Nullable(Type.String(), 'Null: it went.'),
      reason: Type.String(),
      addr_version: Type.Integer(),
    }),
    { description: 'The last changes of its state, newest first.' },
  ),
});
export type InstanceDetailWire = Static<typeof InstanceDetailSchema>;
export type InstanceDetail = Camel<InstanceDetailWire>;

export const registrationCodec = codecOf<typeof RegistrationSchema, RegistrationWire>(RegistrationSchema);
export const registeredCodec = codecOf<typeof RegisteredSchema, RegisteredWire>(RegisteredSchema);
export const heartbeatCodec = codecOf<typeof HeartbeatSchema, HeartbeatWire>(HeartbeatSchema);
export const heartbeatAnswerCodec = codecOf<typeof HeartbeatAnswerSchema, HeartbeatAnswerWire>(
  HeartbeatAnswerSchema,
);
export const leaveAnswerCodec = codecOf<typeof LeaveAnswerSchema, LeaveAnswerWire>(LeaveAnswerSchema);
export const instanceListCodec = codecOf<typeof InstanceListSchema, InstanceListWire>(InstanceListSchema);
export const instanceDetailCodec = codecOf<typeof InstanceDetailSchema, InstanceDetailWire>(
  InstanceDetailSchema,
);
