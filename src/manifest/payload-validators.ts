import { type FieldError, ReachError } from '../errors.js';
import { fieldErrorsOf, missingPointersOf } from '../wire/field-errors.js';
import { valuesIn } from '../wire/value-count.js';
import type { JsonSchema, Manifest } from './schema.js';
import { compileSchema, type Validate, type Validation } from './schema-compiler.js';
import { partsOf } from './schema-parts.js';

/** How a payload stands against a capability's input schema. `errors` is empty where it fits. */
export interface PayloadCheck {
  /** Pointers of required fields that are not there (nested ones too); the first of them are among the errors as well. */
  readonly missing: readonly string[];
  readonly errors: readonly FieldError[];
}

/** The compiled schemas of one manifest. */
export interface PayloadValidators {
  /**
   * Checks a payload, which is never changed. Of a very large one only the first fault is told.
   * @throws ReachError CAPABILITY_UNKNOWN where the manifest has no such capability.
   */
  check(capabilityId: string, payload: unknown): PayloadCheck;
  /**
   * What is wrong with a result by its capability's output schema.
   * @throws ReachError CAPABILITY_UNKNOWN
   */
  checkResult(capabilityId: string, result: unknown): readonly FieldError[];
}

const FITS: PayloadCheck = Object.freeze({ missing: [], errors: [] });
const misfit = (expected: string, received: string): PayloadCheck =>
  Object.freeze({ missing: [], errors: [{ pointer: '', expected, received }] });

/** Where a payload cannot be judged. */
const UNJUDGED: Readonly<Record<Exclude<Validation, object>, PayloadCheck>> = {
  'too much work': misfit('a value that can be checked with bounded work', 'more'),
  failed: misfit('a value that can be held against the schema', 'another'),
};

/**
 * Every value against every subschema, each a possible error that is kept until all are found: up to here that
 * is milliseconds and little memory. Beyond, validation stops at the first fault.
 */
const MAX_ERROR_CHANCES = 500_000;
const MAX_VISITS_ALL = 20_000;
const MAX_VISITS_FIRST = 200_000;

/** What one value of a payload may cost to check, in µs, as hostile schemas showed on one machine. */
const VALUE_US = 0.2;
const COST_US = { branches: 0.9, values: 0.01, patterns: 0.16 } as const;
/** Checking blocks everything else: what could take longer than this is not begun. */
const MAX_CHECK_US = 1_000_000;

/** The largest payload, in values, that can be checked against a schema in time. */
function affordableValues(schema: JsonSchema): number {
  const { branches, values, patterns } = partsOf(schema).choices;
  const each = VALUE_US + branches * COST_US.branches + values * COST_US.values + patterns * COST_US.patterns;
  return Math.ceil(MAX_CHECK_US / each);
}

interface Compiled {
  readonly validate: Validate;
  /** A payload of so many values is not checked at all. */
  readonly tooMany: number;
  /** The largest payload, in values, of which every fault is told. */
  readonly maxValues: number;
}

/** The schemas of one kind of all capabilities of a manifest. */
export class CompiledSchemas {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  readonly #compiled = new Map<string, Compiled>();
  readonly #compiledFirst = new Map<string, Validate>();

  /** `schemas`: by capability id, checked; each is compiled when it is first needed. */
  constructor(schemas: ReadonlyMap<string, JsonSchema>) {
    this.#schemas = schemas;
  }

  /**
   * Compiles a capability's schema; false where it asks for unbounded work on an empty object already, or fails on it.
   * @throws Error of Ajv where it cannot be compiled.
   */
  canCheck(capabilityId: string): boolean {
    return !Object.values(UNJUDGED).includes(this.check(capabilityId, {}));
  }

  /** @throws ReachError CAPABILITY_UNKNOWN */
  check(capabilityId: string, payload: unknown): PayloadCheck {
    const schema = this.#schemas.get(capabilityId);
    if (schema === undefined) {
      throw new ReachError('CAPABILITY_UNKNOWN', `No capability ${JSON.stringify(capabilityId)} here.`);
    }
    if (schema === true) return FITS;
    const { validate, maxValues, tooMany } = this.#compile(capabilityId, schema);
    const values = valuesIn(payload, tooMany);
    if (values >= tooMany) return UNJUDGED['too much work'];
    const every = values < maxValues ? validate(payload, MAX_VISITS_ALL) : undefined;
    const result =
      every === undefined || every === 'too much work'
        ? this.#compileFirst(capabilityId, schema)(payload, MAX_VISITS_FIRST)
        : every;
    if (typeof result === 'string') return UNJUDGED[result];
    if (result.errors.length === 0) return FITS;
    return { missing: missingPointersOf(result.errors), errors: fieldErrorsOf(result.errors, payload) };
  }

  #compile(capabilityId: string, schema: JsonSchema): Compiled {
    const known = this.#compiled.get(capabilityId);
    if (known !== undefined) return known;
    const maxValues = Math.ceil(MAX_ERROR_CHANCES / Math.max(1, partsOf(schema).nodes));
    const validate = compileSchema(schema, 'everyError');
    const compiled = { validate, maxValues, tooMany: affordableValues(schema) };
    this.#compiled.set(capabilityId, compiled);
    return compiled;
  }

  #compileFirst(capabilityId: string, schema: JsonSchema): Validate {
    const known = this.#compiledFirst.get(capabilityId);
    if (known !== undefined) return known;
    const compiled = compileSchema(schema, 'firstError');
    this.#compiledFirst.set(capabilityId, compiled);
    return compiled;
  }
}

/** The compiled schemas of a manifest, which go when it goes. */
export class ManifestValidators implements PayloadValidators {
  readonly inputs: CompiledSchemas;
  readonly #outputs: CompiledSchemas;

  constructor({ capabilities }: Pick<Manifest, 'capabilities'>) {
    this.inputs = new CompiledSchemas(new Map(capabilities.map(({ id, inputSchema }) => [id, inputSchema])));
    this.#outputs = new CompiledSchemas(
      new Map(capabilities.map(({ id, outputSchema }) => [id, outputSchema])),
    );
  }

  check(capabilityId: string, payload: unknown): PayloadCheck {
    return this.inputs.check(capabilityId, payload);
  }

  checkResult(capabilityId: string, result: unknown): readonly FieldError[] {
    return this.#outputs.check(capabilityId, result).errors;
  }
}
