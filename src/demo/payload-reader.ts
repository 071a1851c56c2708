import { PayloadError } from 'agent-reach-sdk';
import { describe, type FieldError, sentenceOf } from '../errors.js';
import { isObject } from '../wire/json-object.js';

/** What became of reading a value: the value, or every fault that was found in it. */
export type Read<T> = { readonly value: T } | { readonly faults: readonly FieldError[] };

/** Reads one value of a payload. `pointer` is where it stands (RFC 6901). */
export type Reader<T> = (value: unknown, pointer: string) => Read<T>;

type Fields<T> = { readonly [Name in keyof T]: Reader<T[Name]> };

/** Faults that are listed at most: a column that is wrong in every row needs to be told once. */
const FAULTS_LISTED = 20;

/** The answer of a reader that found something else than `expected`. */
export function fault(pointer: string, expected: string, value: unknown): { faults: FieldError[] } {
  return { faults: [{ pointer, expected, received: describe(value) }] };
}

/** The error of a payload that can be read but makes no sense. */
export function refusal(pointer: string, expected: string, value: unknown): PayloadError {
  return payloadInvalid(fault(pointer, expected, value).faults);
}

/** A string with something in it; spaces at the ends are dropped. */
export const text: Reader<string> = (value, pointer) =>
  typeof value === 'string' && value.trim() !== ''
    ? { value: value.trim() }
    : fault(pointer, 'a non-empty string', value);

export const flag: Reader<boolean> = (value, pointer) =>
  typeof value === 'boolean' ? { value } : fault(pointer, 'true or false', value);

export function integer(min: number, max: number): Reader<number> {
  return (value, pointer) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? { value }
      : fault(pointer, `a whole number from ${min} to ${max}`, value);
}

export function oneOf<const T extends string>(allowed: readonly T[]): Reader<T> {
  return (value, pointer) => {
    const found = allowed.find((each) => each === value);
    return found === undefined ? fault(pointer, `one of ${allowed.join(', ')}`, value) : { value: found };
  };
}

/** The same, or undefined where the field is missing or null. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, pointer) =>
    value === undefined || value === null ? { value: undefined } : reader(value, pointer);
}

export function listOf<T>(item: Reader<T>, expected: string, minItems = 1): Reader<readonly T[]> {
  return (value, pointer) => {
    if (!Array.isArray(value) || value.length < minItems) return fault(pointer, expected, value);
    const values: T[] = [];
    const faults: FieldError[] = [];
    for (const [index, each] of value.entries()) {
      const read = item(each, `${pointer}/${index}`);
      if ('value' in read) values.push(read.value);
      else faults.push(...read.faults);
      if (faults.length >= FAULTS_LISTED) break;
    }
    return faults.length > 0 ? { faults } : { value: values };
  };
}

/** An object with these fields; others are ignored, as the schemas of the manifests allow them. */
export function object<T>(fields: Fields<T>): Reader<T> {
  return (value, pointer) => {
    if (!isObject(value)) return fault(pointer, 'an object', value);
    const result: Record<string, unknown> = {};
    const faults: FieldError[] = [];
    for (const [name, reader] of Object.entries<Reader<unknown>>(fields)) {
      const read = reader(Object.hasOwn(value, name) ? value[name] : undefined, `${pointer}/${name}`);
      if ('value' in read) result[name] = read.value;
      else faults.push(...read.faults);
    }
    return faults.length > 0 ? { faults } : { value: result as T };
  };
}

/**
 * Reads a payload; none at all counts as an empty one, so that the faults name what is missing.
 * @throws PayloadError with every fault that was found, at most 20.
 */
export function readPayload<T>(payload: Readonly<Record<string, unknown>> | null, fields: Fields<T>): T {
  const read = object(fields)(payload ?? {}, '');
  if ('value' in read) return read.value;
  throw payloadInvalid(read.faults.slice(0, FAULTS_LISTED));
}

/** The error of a payload with these faults. */
export function payloadInvalid(errors: readonly FieldError[]): PayloadError {
  return new PayloadError(sentenceOf(errors, 'the payload'), errors);
}
