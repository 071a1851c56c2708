import { type Static, Type } from 'typebox';
import { AnyName } from './any-name.js';

/** What is told of the value of a payload's field. `number`: one that is not whole. */
export const PAYLOAD_TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type PayloadType = (typeof PAYLOAD_TYPES)[number];

/** More fields are for machines to read. */
export const MOST_PAYLOAD_FIELDS = 200;

/** All that is told of a payload to others than its agent: the fields at its top, by name. */
export const PayloadFieldsSchema = Type.Record(AnyName, Type.Enum([...PAYLOAD_TYPES]), {
  maxProperties: MOST_PAYLOAD_FIELDS,
  description: `The names of the fields that were sent, at most ${MOST_PAYLOAD_FIELDS}, and their JSON types: \`integer\` for whole numbers, \`number\` for others.`,
});
export type PayloadFields = Static<typeof PayloadFieldsSchema>;
