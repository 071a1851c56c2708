import { Ajv as AjvDraft07, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { isObject } from '../wire/json-object.js';
import type { JsonSchema } from './schema.js';
import { type Dialect, dialectOf } from './schema-limits.js';
import { partsOf } from './schema-parts.js';
import { uniqueItems } from './unique-items.js';

/** What a value looks like against a schema; `too much work` where finding out took more than was allowed. */
export type Validation = { readonly errors: readonly ErrorObject[] } | 'too much work';
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

/**
 * A copy of a schema that judges alike and tells more. It counts visits at every place that references can lead to:
 * recursive schemas can ask for work that grows exponentially with the depth of a payload, and only counting as it
 * happens can bound that. And it has a `false` before each alternative, by which errors are told apart
 * (`settleUnions`); not where a reference counts the alternatives, which then would be others.
 */
function instrumented(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const { schemas, references, choices } = partsOf(schema);
  if (references.length === 0 && choices.branches === 0) return schema;
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
    return isTarget(value) ? { ...copied, [VISIT]: true } : copied;
  };
  return copy(schema) as JsonSchema;
}

/**
 * A schema without what Ajv knows it by: `$schema` has chosen the dialect already and may be spelled in a way of
 * its own, and several schemas of a manifest may have the same `$id`.
 */
function anonymous(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const { $schema: _dialect, $id: _id, ...rest } = schema;
  return rest;
}

/** Compiles the schemas of one manifest with Ajvs of its own, which are made when needed and freed with it. */
export class SchemaCompiler {
  readonly #allErrors: boolean;
  readonly #ajvs = new Map<Dialect, AjvDraft07 | Ajv2020>();
  #visitsLeft = 0;

  constructor(options: { readonly allErrors: boolean }) {
    this.#allErrors = options.allErrors;
  }

  /** What of a schema is not as its dialect wants it; empty where all is well. */
  schemaErrors(schema: JsonSchema): readonly ErrorObject[] {
    const ajv = this.#ajvOf(schema);
    return ajv.validateSchema(anonymous(schema)) === true ? [] : (ajv.errors ?? []);
  }

  /** @throws Error of Ajv where a schema cannot be compiled, a reference leads nowhere for example. */
  compile(schema: JsonSchema): Validate {
    const validate = this.#ajvOf(schema).compile(instrumented(anonymous(schema)));
    return (value, maxVisits) => {
      this.#visitsLeft = maxVisits;
      try {
        return { errors: validate(value) ? [] : [...(validate.errors ?? [])] };
      } catch (thrown) {
        // A RangeError: the stack ended before the count did.
        if (thrown === TOO_MUCH_WORK || thrown instanceof RangeError) return 'too much work';
        throw thrown;
      } finally {
        validate.errors = null;
      }
    };
  }

  #ajvOf(schema: JsonSchema): AjvDraft07 | Ajv2020 {
    const dialect = dialectOf(schema) ?? '2020-12';
    const known = this.#ajvs.get(dialect);
    if (known !== undefined) return known;
    const options = { ...OPTIONS, allErrors: this.#allErrors };
    const ajv = dialect === 'draft-07' ? new AjvDraft07(options) : new Ajv2020(options);
    ajvFormats.default(ajv);
    ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
    ajv.addKeyword({ keyword: VISIT, errors: false, validate: () => this.#visit() });
    this.#ajvs.set(dialect, ajv);
    return ajv;
  }

  #visit(): boolean {
    this.#visitsLeft -= 1;
    if (this.#visitsLeft < 0) throw TOO_MUCH_WORK;
    return true;
  }
}
