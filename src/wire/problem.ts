import { type Static, Type } from 'typebox';
import { ERRORS, type ReachError } from '../errors.js';

/** RFC 9457 problem details, with our stable code and the faulty fields. */
export const ProblemSchema = Type.Object({
  type: Type.String({ description: 'about:blank: the code says what the type would.' }),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.String(),
  errors: Type.Array(
    Type.Object({ pointer: Type.String(), expected: Type.String(), received: Type.String() }),
  ),
});
export type Problem = Static<typeof ProblemSchema>;

/** An error in wire form. */
export function problemOf(error: ReachError): Problem {
  const { status, title } = ERRORS[error.code];
  return {
    type: 'about:blank',
    title,
    status,
    code: error.code,
    detail: error.message,
    errors: error.errors.map(({ pointer, expected, received }) => ({ pointer, expected, received })),
  };
}
