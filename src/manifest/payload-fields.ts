import { MAX_MISSING } from '../wire/field-errors.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import { pointerStep } from '../wire/json-pointer.js';
import { resolveRef, schemasIn } from './local-refs.js';
import { both, mayVisit, type SchemaWalk, shapeOf, walkOf } from './object-shape.js';
import type { JsonSchema } from './schema.js';

/** A top-level field of a payload, as far as an input schema knows it. */
export interface PayloadField {
  readonly name: string;
  /** JSON Schema types (`string`, `integer`, `number` ...); empty: any. */
  readonly types: readonly string[];
  /** True where no payload without it fits. */
  readonly required: boolean;
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The named values of a field: `enum`, or a `const`. */
function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return 'const' in schema ? [schema.const] : undefined;
}

function typesOf(schema: unknown, walk: SchemaWalk, depth = 0): readonly string[] {
  if (!isObject(schema) || !mayVisit(walk, depth)) return [];
  const declared = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  if (declared.length > 0) return declared;
  const values = valuesOf(schema);
  if (values !== undefined) return [...new Set(values.map(jsonTypeOf))];
  for (const part of [resolveRef(walk.root, schema.$ref), ...schemasIn(schema.allOf)]) {
    const types = typesOf(part, walk, depth + 1);
    if (types.length > 0) return types;
  }
  const alternatives = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
  const types = alternatives.map((alternative) => typesOf(alternative, walk, depth + 1));
  return types.some((each) => each.length === 0) ? [] : [...new Set(types.flat())];
}

function fieldOf(
  name: string,
  schemas: readonly unknown[],
  required: boolean,
  walk: SchemaWalk,
): PayloadField {
  const said = schemas
    .flatMap((schema) => [schema, isObject(schema) ? resolveRef(walk.root, schema.$ref) : undefined])
    .filter(isObject);
  const types = said.map((schema) => typesOf(schema, walk));
  return {
    name,
    types: types.some((each) => each.length === 0) ? [] : [...new Set(types.flat())],
    required,
  };
}

/**
 * The top-level fields that an input schema knows, through local `$ref`, `allOf`, `anyOf`, `oneOf`, conditions
 * and dependent schemas. A field that several alternatives describe has the types of all of them.
 */
export function fieldsOf(inputSchema: JsonSchema): readonly PayloadField[] {
  const walk = walkOf(inputSchema);
  const { required, properties } = shapeOf(inputSchema, walk);
  return [...properties].map(([name, schemas]) => fieldOf(name, schemas, required.has(name), walk));
}

/**
 * JSON pointers of what a payload must have: the required fields, and those of required objects in them.
 * Of alternatives only what all of them require; items of arrays are not looked into.
 */
export function requiredPointers(inputSchema: JsonSchema): readonly string[] {
  const pointers: string[] = [];
  const walk = walkOf(inputSchema);
  const collect = (schemas: readonly unknown[], base: string, depth: number): void => {
    const { required, properties } = both(schemas.map((schema) => shapeOf(schema, walk)));
    for (const name of required) {
      if (pointers.length >= MAX_MISSING) return;
      const pointer = base + pointerStep(name);
      pointers.push(pointer);
      if (mayVisit(walk, depth)) collect(properties.get(name) ?? [], pointer, depth + 1);
    }
  };
  collect([inputSchema], '', 0);
  return pointers;
}
