import { Ajv, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import type { FieldError } from '../errors.js';
import { camelKey } from './codec.js';
import { fieldErrorsOf } from './field-errors.js';
import { valuesIn } from './value-count.js';

/** A larger value is checked up to its first fault: every fault of it could fill the memory. */
const MAX_VALUES = 50_000;

// Nothing is coerced and nothing is dropped: what a caller sent is what is checked.
// Verbose errors carry the schema, from which a refusal can say what would have been right.
const AS_SENT = { coerceTypes: false, removeAdditional: false, useDefaults: false, verbose: true } as const;
const everyFault = new Ajv({ ...AS_SENT, allErrors: true });
const firstFault = new Ajv({ ...AS_SENT, allErrors: false });

/** Checks a value: gives the faulty fields, none where it fits. */
export type Check = (value: unknown) => readonly FieldError[];

export function checkOf(schema: TSchema): Check {
  const all = compiledOnce(everyFault, schema);
  const first = compiledOnce(firstFault, schema);
  return (value) => {
    const validate = valuesIn(value, MAX_VALUES) < MAX_VALUES ? all() : first();
    return validate(value) ? [] : fieldErrorsOf(validate.errors ?? [], value);
  };
}

/** By the first who asks: a service has some hundred schemas, most of which no value comes for. */
function compiledOnce(ajv: Ajv, schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined;
  return () => {
    compiled ??= ajv.compile(schema);
    return compiled;
  };
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

function camelNode(node: SchemaNode): SchemaNode {
  const { properties, required, items, anyOf } = node;
  return {
    ...node,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [camelKey(name), camelNode(child)]),
      ),
    }),
    ...(required && { required: required.map(camelKey) }),
    ...(items && { items: camelNode(items) }),
    ...(anyOf && { anyOf: anyOf.map(camelNode) }),
  };
}

/** The same check of the code form (camelCase) of a wire type, for callers that use the library. */
export function camelCheckOf(schema: TSchema): Check {
  return checkOf(camelNode(schema as SchemaNode) as TSchema);
}
