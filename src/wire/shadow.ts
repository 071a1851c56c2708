import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { DecisionSchema } from './route.js';
import { Time } from './schema-parts.js';

const { outcome, target_agent, capability_id } = DecisionSchema.properties;
const DecidedSchema = Type.Object({ outcome, target_agent, capability_id });

const RightSchema = Type.Object(
  {
    labelled: Type.Integer({ description: 'Those for which somebody has said what is right.' }),
    in_force: Type.Integer({ description: 'Of these, those that the weights in force got right.' }),
    shadow: Type.Integer({ description: 'Of these, those that the weights in the shadow got right.' }),
  },
  { description: 'Who was right, as far as anybody knows.' },
);

const ChangeSchema = Type.Object({
  in_force: DecidedSchema,
  shadow: DecidedSchema,
  times: Type.Integer(),
  right: RightSchema,
  intents: Type.Array(Type.String(), {
    description: 'The newest different ones, at most 3, the first 1,000 characters of each.',
  }),
});

const PairSchema = Type.Object({
  weights_version: Type.String({ description: 'Those that were in force.' }),
  shadow_weights_version: Type.String(),
  compared: Type.Integer({ description: 'Intents that both have answered.' }),
  differing: Type.Integer({ description: 'Of these, those that both decided otherwise.' }),
  read: Type.Integer({
    description: 'Of the differing ones, those that the rest tells of: of too many the newest.',
  }),
  right: RightSchema,
  changes: Type.Array(ChangeSchema, { description: 'The most frequent first, at most 100.' }),
});

/** Where weights in force and in their shadow differ. */
export const ShadowComparisonSchema = Type.Object({
  since: Time('The full hour, in UTC, from which on decisions are compared'),
  pairs: Type.Array(PairSchema, {
    description: 'For each two that answered side by side, those with the most intents first.',
  }),
});
export type ShadowComparisonWire = Static<typeof ShadowComparisonSchema>;
export type ShadowComparison = Camel<ShadowComparisonWire>;

export const shadowComparisonCodec = codecOf<typeof ShadowComparisonSchema, ShadowComparisonWire>(
  ShadowComparisonSchema,
);
