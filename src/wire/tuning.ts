import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { Nullable } from './nullable.js';
import { closed, Time } from './schema-parts.js';

const NOTE_CHARS = 1_000;

const TunedSchema = Type.Object(
  { at: Time('When'), labels: Type.Integer(), precision: Type.Number() },
  { description: 'How they were tuned: on how many labels, for which precision at the threshold.' },
);

const TuningVersionSchema = Type.Object({
  number: Type.Integer({ description: 'Counts from 1; 0 is what the configuration names.' }),
  weights_version: Type.String({ description: 'What the weights call themselves, as in every decision.' }),
  applied_at: Nullable(Time('When they were put into force'), 'Null for number 0.'),
  note: Nullable(Type.String()),
  tuned: Nullable(TunedSchema),
  rolled_back_at: Nullable(Time('When they were taken back')),
});
/** Weights that are, or were, in force. */
export type TuningVersionSummary = Camel<Static<typeof TuningVersionSchema>>;

export const TuningSchema = Type.Object({
  current: TuningVersionSchema,
  history: Type.Array(TuningVersionSchema, {
    description: 'The newest 100 that were put into force, newest first, without number 0.',
  }),
  shadow: Nullable(
    Type.Object({ weights_version: Type.String(), since: Time('Since when') }),
    'The weights that answer beside those in force, without effect.',
  ),
});
export type TuningWire = Static<typeof TuningSchema>;
/** Which weights are in force, which were, and which answer in their shadow. */
export type Tuning = Camel<TuningWire>;

const BasedOn = Type.Integer({
  minimum: 0,
  description: 'The number that the caller takes for the current one: refused where it is another by now.',
});

/** Of an apply, beside the weights. */
export const ApplyOptionsSchema = Type.Object(
  {
    note: Type.Optional(Type.String({ maxLength: NOTE_CHARS, description: 'For whoever reads it later.' })),
    based_on: Type.Optional(BasedOn),
  },
  closed,
);
export type ApplyOptionsWire = Static<typeof ApplyOptionsSchema>;
export type ApplyOptions = Camel<ApplyOptionsWire>;

export const RollbackSchema = Type.Object(
  { based_on: Type.Optional(BasedOn) },
  { ...closed, examples: [{ based_on: 3 }] },
);
export type RollbackWire = Static<typeof RollbackSchema>;
export type Rollback = Camel<RollbackWire>;

export const tuningCodec = codecOf<typeof TuningSchema, TuningWire>(TuningSchema);
export const applyOptionsCodec = codecOf<typeof ApplyOptionsSchema, ApplyOptionsWire>(ApplyOptionsSchema);
export const rollbackCodec = codecOf<typeof RollbackSchema, RollbackWire>(RollbackSchema);
