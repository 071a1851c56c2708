import { type Static, Type } from 'typebox';
import { PublishAnswerSchema } from './agents.js';
import { type Camel, codecOf } from './codec.js';
import { Nullable } from './nullable.js';
import { PayloadFieldsSchema } from './payload-fields.js';
import { DecisionSchema } from './route.js';
import { Time } from './schema-parts.js';

const { outcome, target_agent, capability_id, confidence } = DecisionSchema.properties;

const DecidedSchema = Type.Object(
  { outcome, target_agent, capability_id, confidence },
  { description: 'What is decided where every agent can take work.' },
);
/** Where an intent goes, whoever is up. */
export type Decided = Camel<Static<typeof DecidedSchema>>;

const ChangedIntentSchema = Type.Object({
  intent: Type.String(),
  payload_fields: PayloadFieldsSchema,
  times: Type.Integer({ description: 'How often it was recorded in what was looked at.' }),
  before: DecidedSchema,
  after: DecidedSchema,
});
export type ChangedIntent = Camel<Static<typeof ChangedIntentSchema>>;

export const WouldChangeSchema = Type.Object({
  since: Nullable(
    Time('From when on decisions were looked at'),
    'Null: all of those hours. Else there were too many different intents, or decisions to be read in time.',
  ),
  asked: Type.Integer({
    description: 'Different recorded intents that were decided under both, at most 500.',
  }),
  changed: Type.Array(ChangedIntentSchema, {
    description: 'Those that would go elsewhere, the most frequent first.',
  }),
  left_out: Type.Integer({ description: 'Different intents that were found, and not decided in time.' }),
});
export type WouldChangeWire = Static<typeof WouldChangeSchema>;
/** What another manifest would do to the recorded intents. */
export type WouldChange = Camel<WouldChangeWire>;

/** The answer to a publish that stores nothing. */
export const PublishPreviewSchema = Type.Object({
  ...PublishAnswerSchema.properties,
  catalogue_version: Type.Integer({ description: 'Of the catalogue that it was held against.' }),
  dry_run: Type.Literal(true),
  would_change: WouldChangeSchema,
});
export type PublishPreviewWire = Static<typeof PublishPreviewSchema>;
export type PublishPreview = Camel<PublishPreviewWire>;

export const wouldChangeCodec = codecOf<typeof WouldChangeSchema, WouldChangeWire>(WouldChangeSchema);
export const publishPreviewCodec = codecOf<typeof PublishPreviewSchema, PublishPreviewWire>(
  PublishPreviewSchema,
);
