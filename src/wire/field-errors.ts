import { describe, type FieldError, quoted } from '../errors.js';
import { pointerStep, valueAt } from './json-pointer.js';
import { type SchemaError, settleUnions } from './union-errors.js';

/** More faults than this help nobody. */
export const MAX_FIELD_ERRORS = 50;

/** Who asks for what is missing wants all of it; beyond so many no call was meant. */
export const MAX_MISSING = 200;

/** A payload can raise hundreds of thousands of errors; what lies behind the first ones is not looked at. */
const MAX_EXAMINED = 50_000;

const ONE_OF_TYPE: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function listed<T>(values: readonly T[], word: (value: T) => string): string {
  const words = [...new Set(values.map(word))];
  const shown = words.length > 12 ? [...words.slice(0, 12), `${words.length - 12} more`] : words;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

function counted(limit: unknown, one: string, many: string): string {
  return `${String(limit)} ${limit === 1 ? one : many}`;
}

type Params = SchemaError['params'];
const SENTENCES: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => listed([type].flat(), (name) => ONE_OF_TYPE[String(name)] ?? String(name)),
  const: ({ allowedValue }) => quoted(allowedValue),
  enum: ({ allowedValues }) => listed([allowedValues].flat(), quoted),
  required: () => 'a value, since this field is required',
  dependentRequired: ({ property }) => `a value, since ${quoted(property)} is there`,
  dependencies: ({ property }) => `a value, since ${quoted(property)} is there`,
  additionalProperties: () => 'no such field',
  unevaluatedProperties: () => 'no such field',
  propertyNames: () => 'a field of another name',
  'false schema': () => 'nothing here',
  minLength: ({ limit }) => `at least ${counted(limit, 'character', 'characters')}`,
  maxLength: ({ limit }) => `at most ${counted(limit, 'character', 'characters')}`,
  pattern: ({ pattern }) => `text that matches ${String(pattern)}`,
  format: ({ format }) => `text of the format ${String(format)}`,
  minimum: ({ limit }) => `a number of at least ${String(limit)}`,
  maximum: ({ limit }) => `a number of at most ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `a number above ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `a number below ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `a multiple of ${String(multipleOf)}`,
  minItems: ({ limit }) => `at least ${counted(limit, 'item', 'items')}`,
  maxItems: ({ limit }) => `at most ${counted(limit, 'item', 'items')}`,
  uniqueItems: () => 'items that are all different',
  contains: ({ minContains }) => `at least ${counted(minContains ?? 1, 'fitting item', 'fitting items')}`,
  minProperties: ({ limit }) => `at least ${counted(limit, 'field', 'fields')}`,
  maxProperties: ({ limit }) => `at most ${counted(limit, 'field', 'fields')}`,
  not: () => 'a value that does not fit the excluded form',
  anyOf: ({ alternatives }) =>
    Array.isArray(alternatives) ? listed(alternatives, expectedOf) : 'a value of one of the allowed forms',
  oneOf: ({ alternatives }) =>
    Array.isArray(alternatives)
      ? listed(alternatives, expectedOf)
      : 'a value of exactly one of the allowed forms',
};

/** A pattern or a refusal says little to a person: the schema itself says more where Ajv hands it over. */
function expectedOf({ keyword, params, parentSchema, message }: SchemaError): string {
  const { description, properties } = parentSchema ?? {};
  if (keyword === 'pattern' && typeof description === 'string') return description;
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  if (keyword === 'additionalProperties' && known.length > 0) {
    return `one of the known fields: ${listed(known, String)}`;
  }
  return SENTENCES[keyword]?.(params) ?? message ?? 'a value that fits';
}

/** The key below `instancePath` that an error speaks of: one that is missing, or one that may not be there. */
function keyOf({ keyword, params }: SchemaError): string | undefined {
  const key =
    params.missingProperty ??
    params.additionalProperty ??
    params.unevaluatedProperty ??
    (keyword === 'propertyNames' ? params.propertyName : undefined);
  return typeof key === 'string' ? key : undefined;
}

function pointerOf(error: SchemaError): string {
  const key = keyOf(error);
  return key === undefined ? error.instancePath : error.instancePath + pointerStep(key);
}

/** What may only be written, such as a secret in a wrong place, is never told again. */
function receivedOf({ parentSchema }: SchemaError, value: unknown): string {
  return parentSchema?.writeOnly === true ? 'something else' : describe(value);
}

const examined = (errors: readonly SchemaError[]) => settleUnions(errors.slice(0, MAX_EXAMINED));

/**
 * What Ajv (with `allErrors`) found wrong in `data`, in words: each fault once, at most MAX_FIELD_ERRORS.
 * The pointer of a missing field is where it should be.
 */
export function fieldErrorsOf(errors: readonly SchemaError[], data: unknown): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of examined(errors)) {
    if (found.size >= MAX_FIELD_ERRORS) break;
    const pointer = pointerOf(error);
    const expected = expectedOf(error);
    const fault = { pointer, expected, received: receivedOf(error, valueAt(data, pointer)) };
    found.set(JSON.stringify([pointer, expected]), fault);
  }
  return [...found.values()];
}

/**
 * Pointers of the required fields that were not there, each once, at most MAX_MISSING. Of alternatives those of the
 * one that was meant (`settleUnions`).
 */
export function missingPointersOf(errors: readonly SchemaError[]): string[] {
  const missing = examined(errors).filter(({ params }) => typeof params.missingProperty === 'string');
  return [...new Set(missing.map(pointerOf))].slice(0, MAX_MISSING);
}
