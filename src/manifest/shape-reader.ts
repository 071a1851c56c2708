import { isObject, type JsonObject } from '../wire/json-object.js';
import { pointerStep, valueAt } from '../wire/json-pointer.js';
import { canonicalJson } from './canonical-json.js';
import { type JsonKind, kindOfValue, kindsOfType } from './json-types.js';
import { refPointer } from './local-refs.js';
import type { JsonSchema } from './schema.js';
import { ANYTHING, all, any, SILENT, type Spec, underCondition, type ValueShape } from './value-shape.js';

/** Thrown where a schema, which references can make far larger than it is written, asks for more than is given. */
export class TooMuchToRead extends Error {}

/**
 * What one reader looks at, schemas and what they say of fields and values; a schema within its limits that does
 * not multiply its references stays far below.
 */
const MAX_EFFORT = 10_000;
/** Schemas in a line, from one through its parts. */
const MAX_DEPTH = 64;

function valuesOf(schema: JsonObject, kinds: ReadonlySet<JsonKind>): readonly unknown[] | undefined {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  return values?.filter((value) => kinds.has(kindOfValue(value)));
}

function placesIn(value: unknown, pointer: string): (readonly [key: string, place: Spec])[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.map(([key, schema]) => [
    key,
    { kind: 'place', schema, pointer: pointer + pointerStep(key) },
  ]);
}

function ownShape(schema: JsonObject, pointer: string): ValueShape {
  const declared = kindsOfType(schema.type);
  const values = valuesOf(schema, declared);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = required.filter((name): name is string => typeof name === 'string');
  const under = (keyword: string) => placesIn(schema[keyword], pointer + pointerStep(keyword));
  const unnamed = ['items', 'additionalProperties'].flatMap((keyword): [string, Spec][] =>
    isObject(schema[keyword])
      ? [[keyword, { kind: 'place', schema: schema[keyword], pointer: pointer + pointerStep(keyword) }]]
      : [],
  );
  const tuple = under(Array.isArray(schema.items) ? 'items' : 'prefixItems');
  return {
    kinds: values === undefined ? declared : new Set(values.map(kindOfValue)),
    values: values && new Set(values.map(canonicalJson)),
    required: new Set(names),
    fields: new Map([
      ...names.map((name): [string, Spec] => [name, SILENT]),
      // `false` means that there must be no such field.
      ...under('properties').filter(([, spec]) => spec.kind === 'place' && spec.schema !== false),
    ]),
    inner: new Map([
      ...unnamed,
      ...tuple.map(([index, spec]): [string, Spec] => [`item ${index}`, spec]),
      ...under('patternProperties').map(([name, spec]): [string, Spec] => [`fields ${name}`, spec]),
    ]),
  };
}

/** Reads the shapes of one schema with bounded work. */
export class ShapeReader {
  readonly #root: JsonSchema;
  #effort = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  get root(): Spec {
    return { kind: 'place', schema: this.#root, pointer: '' };
  }

  /**
   * Through local `$ref`, `allOf`, `anyOf`, `oneOf`, conditions and dependent schemas. A schema that refers to
   * itself adds nothing to itself.
   * @throws TooMuchToRead
   */
  shapeOf(spec: Spec, above: ReadonlySet<unknown> = new Set()): ValueShape {
    if (spec.kind === 'place') return this.#shapeAt(spec.schema, spec.pointer, above);
    const shapes = spec.specs.map((each) => this.shapeOf(each, above));
    return spec.kind === 'all' ? this.#all(shapes) : this.#any(shapes);
  }

  #shapeAt(schema: unknown, pointer: string, above: ReadonlySet<unknown>): ValueShape {
    if (schema === false) return { ...ANYTHING, kinds: new Set() };
    if (!isObject(schema) || above.has(schema)) return ANYTHING;
    if (above.size > MAX_DEPTH) throw new TooMuchToRead();
    const path = new Set(above).add(schema);
    const at = (keyword: string) => pointer + pointerStep(keyword);
    const shapes = (keyword: string) =>
      placesIn(schema[keyword], at(keyword)).map(([, place]) => this.shapeOf(place, path));
    const parts = [ownShape(schema, pointer)];
    const target = refPointer(this.#root, schema.$ref);
    if (target !== undefined) parts.push(this.#shapeAt(valueAt(this.#root, target), target, path));
    parts.push(...shapes('allOf'));
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(schema[keyword])) parts.push(this.#any(shapes(keyword)));
    }
    for (const keyword of ['then', 'else']) {
      const branch = schema[keyword];
      if (branch !== undefined) parts.push(underCondition(this.#shapeAt(branch, at(keyword), path)));
    }
    parts.push(...shapes('dependentSchemas').map(underCondition));
    return this.#all(parts);
  }

  #all(shapes: readonly ValueShape[]): ValueShape {
    this.#spend(shapes);
    const [only] = shapes;
    return only !== undefined && shapes.length === 1 ? only : all(shapes);
  }

  #any(shapes: readonly ValueShape[]): ValueShape {
    this.#spend(shapes);
    return any(shapes);
  }

  #spend(shapes: readonly ValueShape[]): void {
    for (const { fields, inner, values } of shapes) {
      this.#effort += 1 + fields.size + inner.size + (values?.size ?? 0);
    }
    if (this.#effort > MAX_EFFORT) throw new TooMuchToRead();
  }
}
