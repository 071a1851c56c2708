import { type FieldError, ReachError, sentenceOf } from '../errors.js';
import { findJsonFault } from '../wire/json-entries.js';
import { placeOf } from '../wire/text-place.js';
import { findUnsafeValue } from '../wire/unsafe-value.js';
import { findTooDeep } from './json-depth.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

function malformed(detail: string, fault: FieldError): ReachError {
  return new ReachError('MALFORMED_REQUEST', detail, { errors: [fault] });
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ReachError('MALFORMED_REQUEST', 'The body is not valid UTF-8.', {
      errors: [{ pointer: '', expected: 'UTF-8 text', received: 'bytes that are none' }],
      cause,
    });
  }
}

function lineAndColumn(text: string, offset: number): string {
  const { line, column } = placeOf(text, offset);
  return `line ${line}, column ${column}`;
}

const END = 'the end of the body';

function syntaxError(text: string, cause: unknown): ReachError {
  const fault = findJsonFault(text);
  if (fault === undefined) return new ReachError('MALFORMED_REQUEST', 'The body is not JSON.', { cause });
  const { offset, expected = END, found: received = END } = fault;
  const place = `${lineAndColumn(text, offset)} (character ${offset})`;
  return malformed(`The body is not JSON: expected ${expected} at ${place}, received ${received}.`, {
    pointer: '',
    expected,
    received,
  });
}

export function emptyBody(): ReachError {
  const expected = 'a JSON object';
  return malformed(`The body is empty; expected ${expected}.`, {
    pointer: '',
    expected,
    received: 'nothing',
  });
}

/**
 * The JSON value in a request's bytes, nested at most `maxDepth` deep (brackets open at once).
 * @throws ReachError MALFORMED_REQUEST for no bytes, bytes that are not UTF-8, text that is not JSON (with the
 * place), too deep nesting, keys that reach a prototype, numbers that no double holds.
 */
export function parseJsonBody(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) throw emptyBody();
  const text = decoded(bytes);
  const tooDeep = findTooDeep(text, maxDepth);
  if (tooDeep >= 0) {
    const expected = `at most ${maxDepth} levels of objects and arrays`;
    throw malformed(`The body is nested too deeply; expected ${expected}.`, {
      pointer: '',
      expected,
      received: `a deeper one at ${lineAndColumn(text, tooDeep)}`,
    });
  }
  const value = parsed(text);
  const unsafe = findUnsafeValue(value);
  if (unsafe !== undefined) {
    throw malformed(`${sentenceOf([unsafe])}.`, unsafe);
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw syntaxError(text, cause);
  }
}
