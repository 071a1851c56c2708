import { type FieldError, ReachError } from '../errors.js';
import { findSyntaxFault, findTooDeep } from './json-syntax.js';
import { findUnsafeValue } from './unsafe-value.js';

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

/** A place as a person finds it in an editor: both counted from 1. */
function lineAndColumn(text: string, position: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = at + 1;
  }
  return `line ${line}, column ${position - lineStart + 1}`;
}

function syntaxError(text: string, cause: unknown): ReachError {
  const fault = findSyntaxFault(text);
  if (fault === undefined) return new ReachError('MALFORMED_REQUEST', 'The body is not JSON.', { cause });
  const found = text.codePointAt(fault.position);
  const received = found === undefined ? 'the end of the body' : JSON.stringify(String.fromCodePoint(found));
  const place = lineAndColumn(text, fault.position);
  return malformed(
    `The body is not JSON: expected ${fault.expected} at ${place} (character ${fault.position}), received ${received}.`,
    { pointer: '', expected: fault.expected, received },
  );
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
    throw malformed(`${unsafe.pointer}: expected ${unsafe.expected}, received ${unsafe.received}.`, unsafe);
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
