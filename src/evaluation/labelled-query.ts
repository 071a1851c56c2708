import { type Static, Type } from 'typebox';
import { Nullable } from '../wire/nullable.js';
import { PayloadFieldsSchema } from '../wire/payload-fields.js';

/**
 * A line of a file of queries: a query with a payload, or a label, which has the names and types of its fields alone.
 * Other fields are not read.
 */
export const QueryLineSchema = Type.Object({
  intent: Type.String(),
  payload: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  payload_fields: Type.Optional(Nullable(PayloadFieldsSchema)),
  expected: Type.Array(Type.String({ minLength: 1 })),
  lang: Type.Optional(Type.String({ minLength: 1, maxLength: 35 })),
});
export type QueryLine = Static<typeof QueryLineSchema>;

/** What counts as the language of a query that names none: BCP 47's word for undetermined. */
export const NO_LANGUAGE = 'und';

/** An intent of which somebody has said which capabilities are right. */
export interface LabelledQuery {
  /** Where it stands in its file, from 1. */
  readonly line: number;
  readonly intent: string;
  readonly payload: Record<string, unknown> | null;
  /** Labels of the capabilities of which each counts as right; empty where nothing fits. */
  readonly expected: readonly string[];
  readonly lang: string;
}
