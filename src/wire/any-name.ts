import { Type } from 'typebox';

/** A key of a record. Said as a pattern because the usual one, `.*`, passes over names with a line break unchecked. */
export const AnyName = Type.String({ pattern: '^[\\s\\S]*$' });
