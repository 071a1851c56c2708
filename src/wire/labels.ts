import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { LIMITS } from './limits.js';
import { Nullable } from './nullable.js';
import { PayloadFieldsSchema } from './payload-fields.js';
import { closed, Time } from './schema-parts.js';

const WRITTEN_SOURCES = ['import', 'added'] as const;
export const LABEL_SOURCES = ['clarify', 'outcome', 'ticket', ...WRITTEN_SOURCES] as const;
export type LabelSource = (typeof LABEL_SOURCES)[number];

const Source = Type.Enum([...LABEL_SOURCES], {
  description:
    'Where it came from: `clarify` the answer to a question, `outcome` a reported right_capability, `ticket` one that was resolved with it, `import` a file, `added` a person.',
});
const Lang = Type.String({
  minLength: 1,
  maxLength: 35,
  description:
    'The language of the intent as BCP 47 has it; where nobody says, `zh` or `en` as it looks, else `und`.',
});
const PayloadFields = Nullable(PayloadFieldsSchema, 'Null where no payload was sent.');

/** What is right for an intent, in somebody's eyes: without a payload's values, and with nothing that names a person but the intent. */
export const LabelSchema = Type.Object({
  label_id: Type.String(),
  at: Time('When it was said last'),
  source: Source,
  intent: Type.String(),
  lang: Lang,
  payload_fields: PayloadFields,
  expected: Type.Array(Type.String(), {
    description: 'The capabilities that are right, as `agent_name/id`; empty where nothing fits.',
  }),
  route_id: Nullable(Type.String(), 'The decision that it is about, where it is about one.'),
});
export type LabelWire = Static<typeof LabelSchema>;
export type Label = Camel<LabelWire>;

const WrittenLabelSchema = Type.Object(
  {
    intent: Type.String({ description: '1 to 20,000 characters after trimming.' }),
    lang: Type.Optional(Lang),
    payload_fields: Type.Optional(PayloadFields),
    expected: Type.Array(Type.String({ minLength: 1, maxLength: 2 * LIMITS.idChars }), {
      maxItems: LIMITS.labelExpected,
      description:
        'The capabilities that are right, as `agent_name/id`, or a bare id for all that have it; empty where nothing fits.',
    }),
  },
  closed,
);

/** Labels that somebody wrote. */
export const LabelAdditionSchema = Type.Object(
  {
    source: Type.Optional(
      Type.Enum([...WRITTEN_SOURCES], { description: '`import` for those of a file, by default `added`.' }),
    ),
    labels: Type.Array(WrittenLabelSchema, { minItems: 1, maxItems: LIMITS.labelItems }),
  },
  {
    ...closed,
    examples: [
      {
        labels: [
          { intent: 'where is my parcel', expected: ['orders-agent/order-status'] },
          { intent: '写一首关于秋天的诗', lang: 'zh', expected: [] },
        ],
      },
    ],
  },
);
export type LabelAdditionWire = Static<typeof LabelAdditionSchema>;
export type LabelAddition = Camel<LabelAdditionWire>;

export const LabelsAddedSchema = Type.Object({
  label_ids: Type.Array(Type.String(), { description: 'In the order given.' }),
  added: Type.Integer({ description: 'How many of them were not kept before.' }),
});
export type LabelsAddedWire = Static<typeof LabelsAddedSchema>;
export type LabelsAdded = Camel<LabelsAddedWire>;

export const LabelRemovedSchema = Type.Object({ label_id: Type.String() });
export type LabelRemovedWire = Static<typeof LabelRemovedSchema>;
export type LabelRemoved = Camel<LabelRemovedWire>;

const { route_id: _, ...reviewed } = LabelSchema.properties;
const ReviewedLabelsSchema = Type.Array(
  Type.Object({ ...reviewed, intent: Type.String({ description: 'Its first 1,000 characters.' }) }),
  { description: 'The newest of them, at most 10.' },
);
const count = Type.Integer({ description: 'How many labels there are of them.' });
const Group = Type.Object({ count, labels: ReviewedLabelsSchema });

/** What a person should look at; at most 100 of each kind. */
export const LabelReviewSchema = Type.Object({
  labels: Type.Integer({ description: 'How many are kept.' }),
  contradictions: Type.Array(Group, {
    description: 'The same intent and payload fields, but another `expected`.',
  }),
  near_duplicates: Nullable(
    Type.Array(Group),
    'Intents that are nearly the same, those first that disagree; null where they are too many and too much alike to find that out in time.',
  ),
  gone: Type.Array(Type.Object({ capability: Type.String(), count, labels: ReviewedLabelsSchema }), {
    description: 'Expected capabilities that the catalogue lacks.',
  }),
  left_out: Type.Object(
    {
      contradictions: Type.Integer(),
      near_duplicates: Type.Integer(),
      gone: Type.Integer(),
    },
    { description: 'How many more there are of each.' },
  ),
});
export type LabelReviewWire = Static<typeof LabelReviewSchema>;
export type LabelReview = Camel<LabelReviewWire>;

export const labelCodec = codecOf<typeof LabelSchema, LabelWire>(LabelSchema);
export const labelAdditionCodec = codecOf<typeof LabelAdditionSchema, LabelAdditionWire>(LabelAdditionSchema);
export const labelsAddedCodec = codecOf<typeof LabelsAddedSchema, LabelsAddedWire>(LabelsAddedSchema);
export const labelRemovedCodec = codecOf<typeof LabelRemovedSchema, LabelRemovedWire>(LabelRemovedSchema);
export const labelReviewCodec = codecOf<typeof LabelReviewSchema, LabelReviewWire>(LabelReviewSchema);
