import { describe, type FieldError, sentenceOf } from '../errors.js';
import { payloadOf } from '../live/payload-types.js';
import { checkOf } from '../wire/check.js';
import { JsonFault, jsonEntries } from '../wire/json-entries.js';
import { pointerStep } from '../wire/json-pointer.js';
import { LabelSchema } from '../wire/labels.js';
import { LIMITS } from '../wire/limits.js';
import { findUnsafeValue } from '../wire/unsafe-value.js';
import { type LabelledQuery, NO_LANGUAGE, type QueryLine, QueryLineSchema } from './labelled-query.js';

/** A fault of one line; `pointer` goes into its JSON, '' is the whole line. */
export interface LineFault {
  readonly pointer: string;
  readonly message: string;
}

export type ReadQuery =
  | { readonly kind: 'query'; readonly query: LabelledQuery; readonly unread: readonly string[] }
  | { readonly kind: 'faulty'; readonly faults: readonly LineFault[] };

const check = checkOf(QueryLineSchema);
/** Beside what is read, a label says where it came from. */
const KNOWN = new Set([QueryLineSchema, LabelSchema].flatMap(({ properties }) => Object.keys(properties)));

const toLineFault = (error: FieldError): LineFault => ({
  pointer: error.pointer,
  message: sentenceOf([{ ...error, pointer: '' }]),
});

/** What `JSON.parse` does not see or cannot place: broken syntax, a name that is there twice, too deep nesting. */
function syntaxFault(text: string): LineFault | undefined {
  try {
    for (const { depth, key, repeated, offset } of jsonEntries(text)) {
      if (depth > LIMITS.bodyDepth) {
        return {
          pointer: '',
          message: `nested deeper than ${LIMITS.bodyDepth} levels at column ${offset + 1}`,
        };
      }
      if (repeated) {
        return {
          pointer: '',
          message: `the field ${pointerStep(key)} is there twice, at column ${offset + 1}`,
        };
      }
    }
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    const { offset, expected = 'nothing more', found = 'the end' } = thrown;
    const message = `not JSON: expected ${expected}, received ${found} at column ${offset + 1}`;
    return { pointer: '', message };
  }
}

function intentFault(intent: string): FieldError | undefined {
  const { length } = intent.trim();
  if (length >= 1 && length <= LIMITS.intentChars) return undefined;
  const received = length === 0 ? describe(intent) : `${length} characters`;
  return { pointer: '/intent', expected: `1 to ${LIMITS.intentChars} characters after trimming`, received };
}

/** Reads one line of a file of queries, strictly: nothing is guessed, and every fault of the line is told. */
export function readQueryLine(text: string, line: number): ReadQuery {
  const broken = syntaxFault(text);
  if (broken !== undefined) return { kind: 'faulty', faults: [broken] };
  const value: unknown = JSON.parse(text);
  const errors = check(value);
  if (errors.length > 0) return { kind: 'faulty', faults: errors.map(toLineFault) };
  const given = value as QueryLine;
  const fault = intentFault(given.intent) ?? findUnsafeValue(value);
  if (fault !== undefined) return { kind: 'faulty', faults: [toLineFault(fault)] };
  const { intent, payload_fields: fields, expected, lang = NO_LANGUAGE } = given;
  const payload = given.payload ?? (fields ? payloadOf(fields) : null);
  const unread = Object.keys(given).filter((name) => !KNOWN.has(name));
  return { kind: 'query', query: { line, intent, payload, expected, lang }, unread };
}
