import { _, Ajv as AjvDraft07, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { isObject } from '../wire/json-object.js';
import type { JsonSchema } from './schema.js';
import { type Dialect, dialectOf } from './schema-limits.js';
import { partsOf, type SchemaParts } from './schema-parts.js';
import { uniqueItems } from './unique-items.js';

/**
 * What a value looks like against a schema; `too much work` where finding out took more than was allowed, and
 * `failed` where Ajv broke down over it: over an own property `toString`, for example, that is no function.
 */
export type Validation = { readonly errors: readonly ErrorObject[] } | 'too much work' | 'failed';
export type Validate = (value: unknown, maxVisits: number) => Validation;

/** A keyword that is put into schemas to count how often validation comes by. */
const VISIT = 'agent-reach:visit';
const TOO_MUCH_WORK = Symbol('too much work');

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Nothing of a payload is changed.
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  validateFormats: true,
  // `constructor` and the like are fields as any other.
  ownProperties: true,
  // Compiled once each, referred schemas cannot multiply the code.
  inlineRefs: false,
  // Compiles in half the time, and validates as fast: V8 makes as much of the longer code.
  code: { optimize: false },
  // Checked apart, to tell where a schema is wrong.
  validateSchema: false,
};

const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);
const INTO_UNION = /\/(anyOf|oneOf)\/\d/;

/** Not `#name`, by which draft-07 gives a place within a schema a name. */
const isResourceName = (id: unknown) => typeof id === 'string' && !id.startsWith('#');

let lastName = 0;
function newName(): string {
  lastName += 1;
  return `agent-reach:schema-${lastName}`;
}

/**
 * A copy of a schema that judges alike and tells more. It counts visits at every place that references can lead to:
 * recursive schemas can ask for work that grows exponentially with the depth of a payload, and only counting as it
 * happens can bound that. And it has a `false` before each alternative, by which errors are told apart
 * (`settleUnions`); not where a reference counts the alternatives, which then would be others. Inner schemas with an
 * `$id` get another, since those of different manifests may have the same; references are local, so nobody asks for it.
 */
function instrumented(schema: JsonSchema, { schemas, references, choices, named }: SchemaParts): JsonSchema {
  if (!isObject(schema)) return schema;
  if (references.length === 0 && choices.branches === 0 && named === 0) return schema;
  const separable = !references.some(({ ref }) => INTO_UNION.test(ref));
  const targets = new Set<unknown>(references.map(({ target }) => target));
  const isTarget = (value: object) =>
    schemas.has(value) && (value === schema || targets.has(value) || '$dynamicAnchor' in value);
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isObject(value)) return value;
    const separate = separable && schemas.has(value);
    const copied = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        separate && UNIONS.has(key) && Array.isArray(item)
          ? item.flatMap((alternative) => [false, copy(alternative)])
          : copy(item),
      ]),
    );
    if (schemas.has(value) && isResourceName(copied.$id)) copied.$id = newName();
    return isTarget(value) ? { ...copied, [VISIT]: true } : copied;
  };
  return copy(schema) as JsonSchema;
}

/** A schema without what Ajv knows it by: `$schema` has chosen the dialect already and may be spelled in a way of its own. */
function anonymous(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return rest;
}

/** How often validation may still come by; it is synchronous, so one count serves all. */
let visitsLeft = 0;

function visit(): boolean {
  visitsLeft -= 1;
  if (visitsLeft < 0) throw TOO_MUCH_WORK;
  return true;
}

function newAjv(dialect: Dialect, allErrors: boolean): AjvDraft07 | Ajv2020 {
  const options = { ...OPTIONS, allErrors };
  const ajv = dialect === 'draft-07' ? new AjvDraft07(options) : new Ajv2020(options);
  ajvFormats.default(ajv);
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  return ajv.addKeyword({
    keyword: VISIT,
    errors: false,
    // As code, since what a validator calls as a function keeps its Ajv alive.
    code: ({ gen }) => gen.code(_`${gen.scopeValue('func', { ref: visit })}()`),
  });
}

/**
 * An Ajv holds on to all that it ever compiled, and is as large as many schemas: after so many it is replaced, and
 * freed with the last of them.
 */
const SCHEMAS_AN_AJV = 32;

/** Gives the Ajv for the next schema; each is made when it is needed, and serves so many. */
function sharedAjv(dialect: Dialect, allErrors: boolean, schemas: number): () => AjvDraft07 | Ajv2020 {
  let ajv: AjvDraft07 | Ajv2020 | undefined;
  let left = 0;
  return () => {
    if (ajv === undefined || left === 0) {
      ajv = newAjv(dialect, allErrors);
      left = schemas;
    }
    left -= 1;
    return ajv;
  };
}

const sharedAjvs = (allErrors: boolean, schemas = SCHEMAS_AN_AJV) => ({
  'draft-07': sharedAjv('draft-07', allErrors, schemas),
  '2020-12': sharedAjv('2020-12', allErrors, schemas),
});
/** By what the compiled schemas are for: those that are kept do not keep those that are only tried. */
const ajvsFor = { everyError: sharedAjvs(true), firstError: sharedAjvs(false), trial: sharedAjvs(true) };
/** They compile the dialects' own schemas, which takes longer than a small manifest, and keep nothing of a manifest. */
const dialects = sharedAjvs(true, Number.POSITIVE_INFINITY);

const dialectIn = (schema: JsonSchema) => dialectOf(schema) ?? '2020-12';

/** What of a schema is not as its dialect wants it; empty where all is well. */
export function schemaErrors(schema: JsonSchema): readonly ErrorObject[] {
  const ajv = dialects[dialectIn(schema)]();
  return ajv.validateSchema(anonymous(schema)) === true ? [] : (ajv.errors ?? []);
}

/**
 * `purpose`: to be told every fault of a value or the first alone, or only to see whether it can be compiled.
 * @throws Error of Ajv where a schema cannot be compiled, a reference leads nowhere for example.
 */
export function compileSchema(schema: JsonSchema, purpose: keyof typeof ajvsFor): Validate {
  const bare = anonymous(schema);
  const ajv = ajvsFor[purpose][dialectIn(schema)]();
  const validate = ajv.compile(instrumented(bare, partsOf(bare)));
  return (value, maxVisits) => {
    visitsLeft = maxVisits;
    try {
      return { errors: validate(value) ? [] : [...(validate.errors ?? [])] };
    } catch (thrown) {
      // A RangeError: the stack ended before the count did.
      return thrown === TOO_MUCH_WORK || thrown instanceof RangeError ? 'too much work' : 'failed';
    } finally {
      validate.errors = null;
    }
  };
}
