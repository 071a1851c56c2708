import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { awaitedRequestFields, DispatchAnswerSchema, DispatchErrorSchema } from './dispatch.js';
import { LIMITS } from './limits.js';
import { closed } from './schema-parts.js';

/** Several requests at once, all waited for: none has a callback. */
export const BatchRequestSchema = Type.Object(
  {
    requests: Type.Array(Type.Object(awaitedRequestFields, closed), {
      minItems: 1,
      maxItems: LIMITS.batchItems,
    }),
    mode: Type.Optional(
      Type.Enum(['all', 'first', 'quorum'], {
        description: 'Carry out all (default), or until one, or until `quorum` of them are completed.',
      }),
    ),
    quorum: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.batchItems,
        description: 'How many have to be completed; only with mode `quorum`, default more than half.',
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.batchConcurrency,
        description: 'How many at once, default 8.',
      }),
    ),
  },
  closed,
);
export type BatchRequestWire = Static<typeof BatchRequestSchema>;
export type BatchRequest = Camel<BatchRequestWire>;

export const BatchAnswerSchema = Type.Object({
  state: Type.Enum(['completed', 'failed'], {
    description: 'Whether as many are completed as the mode asks for.',
  }),
  answers: Type.Array(
    Type.Union([DispatchAnswerSchema, Type.Object({ error: DispatchErrorSchema }), Type.Null()]),
    {
      description:
        'In the order of the requests: what a dispatch answers; `{error}` alone where it would be a problem; null where it had not begun.',
    },
  ),
  elapsed_ms: Type.Number(),
});
export type BatchAnswerWire = Static<typeof BatchAnswerSchema>;
export type BatchAnswer = Camel<BatchAnswerWire>;

export const batchRequestCodec = codecOf<typeof BatchRequestSchema, BatchRequestWire>(BatchRequestSchema);
export const batchAnswerCodec = codecOf<typeof BatchAnswerSchema, BatchAnswerWire>(BatchAnswerSchema);
