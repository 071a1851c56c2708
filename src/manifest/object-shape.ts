import { isObject, type JsonObject } from '../wire/json-object.js';
import { resolveRef, schemasIn } from './local-refs.js';
import type { JsonSchema } from './schema.js';

/** Bounds on what is looked at, so that a hostile schema costs no more than an honest one. */
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 8;
const MAX_VISITS = 5_000;

/** One walk through a schema: references can make it far larger than it is written, so its visits are counted. */
export interface SchemaWalk {
  readonly root: JsonSchema;
  visits: number;
}

export function walkOf(root: JsonSchema): SchemaWalk {
  return { root, visits: 0 };
}

/** Counts a visit; false where the walk has gone too deep or has seen enough. */
export function mayVisit(walk: SchemaWalk, depth: number): boolean {
  walk.visits += 1;
  return depth <= MAX_DEPTH && walk.visits <= MAX_VISITS;
}

/** What an object schema says of its fields; several subschemas may speak of one. */
export interface ObjectShape {
  readonly required: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, readonly unknown[]>;
}

const NOTHING: ObjectShape = { required: new Set(), properties: new Map() };

function propertiesJoined(shapes: readonly ObjectShape[]): ObjectShape['properties'] {
  const joined = new Map<string, readonly unknown[]>();
  for (const { properties } of shapes) {
    for (const [name, schemas] of properties) {
      if (joined.size >= MAX_FIELDS && !joined.has(name)) continue;
      joined.set(name, [...(joined.get(name) ?? []), ...schemas]);
    }
  }
  return joined;
}

/** All of the shapes hold. */
export function both(shapes: readonly ObjectShape[]): ObjectShape {
  return {
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    properties: propertiesJoined(shapes),
  };
}

/** One of the shapes holds: required is only what all of them require. */
function either(shapes: readonly ObjectShape[]): ObjectShape {
  const [first = NOTHING, ...others] = shapes;
  const required = [...first.required].filter((name) => others.every((shape) => shape.required.has(name)));
  return { required: new Set(required), properties: propertiesJoined(shapes) };
}

const known = (shape: ObjectShape): ObjectShape => ({ ...shape, required: new Set() });

function ownShape(schema: JsonObject): ObjectShape {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name): name is string => typeof name === 'string');
  return {
    required: new Set(names.slice(0, MAX_FIELDS)),
    properties: new Map([
      ...names.slice(0, MAX_FIELDS).map((name): [string, unknown[]] => [name, []]),
      ...properties.slice(0, MAX_FIELDS).map(([name, property]): [string, unknown[]] => [name, [property]]),
    ]),
  };
}

/**
 * The fields of an object schema, through local `$ref`, `allOf`, `anyOf`, `oneOf`, conditions and dependent
 * schemas. `seen` holds the schemas that led here: a schema that refers to itself adds nothing new.
 */
export function shapeOf(
  schema: unknown,
  walk: SchemaWalk,
  seen: ReadonlySet<unknown> = new Set(),
): ObjectShape {
  if (!isObject(schema) || seen.has(schema) || !mayVisit(walk, seen.size)) return NOTHING;
  const path = new Set([...seen, schema]);
  const shapes = (value: unknown) => schemasIn(value).map((each) => shapeOf(each, walk, path));
  const parts = [ownShape(schema), ...shapes(schema.allOf)];
  if (schema.$ref !== undefined) parts.push(shapeOf(resolveRef(walk.root, schema.$ref), walk, path));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(alternatives)) parts.push(either(shapes(alternatives)));
  }
  // What only holds under a condition is known, but not required.
  for (const branch of [schema.then, schema.else]) parts.push(known(shapeOf(branch, walk, path)));
  parts.push(...shapes(schema.dependentSchemas).map(known));
  return both(parts);
}
