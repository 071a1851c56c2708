import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import type { FieldError } from '../errors.js';
import { camelKey } from './codec.js';
import { fieldErrorsOf } from './field-errors.js';

// Nothing is coerced and nothing is dropped: what a caller sent is what is judged.
// Verbose errors carry the schema, from which a refusal can say what would have been right.
const ajv = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: true,
  verbose: true,
});

/** Judges a value: the faulty fields, none where it fits. */
export type Check = (value: unknown) => readonly FieldError[];

export function checkOf(schema: TSchema): Check {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : fieldErrorsOf(validate.errors ?? [], value));
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
}

function camelNode(node: SchemaNode): SchemaNode {
  const { properties, required, items } = node;
  return {
    ...node,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [camelKey(name), camelNode(child)]),
      ),
    }),
    ...(required && { required: required.map(camelKey) }),
    ...(items && { items: camelNode(items) }),
  };
}

/** The same judgement of the code form (camelCase) of a wire type, for callers that use the library. */
export function camelCheckOf(schema: TSchema): Check {
  return checkOf(camelNode(schema as SchemaNode) as TSchema);
}
