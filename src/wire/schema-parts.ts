import { Type } from 'typebox';
import { LIMITS } from './limits.js';

/** Of an object that refuses unknown fields. */
export const closed = { additionalProperties: false } as const;

/** A name that a caller gives. */
export const Id = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idChars, description });

export const Time = (description: string) => Type.String({ description: `${description}: ISO 8601 in UTC.` });
