import { ERRORS, type ReachError } from '../errors.js';
import type { Problem } from './problem.js';

/** An error in wire form. Apart from its schema, so that a small program can do without the library of schemas. */
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
