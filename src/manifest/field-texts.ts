import { isObject } from '../wire/json-object.js';
import { resolveRef, schemasIn } from './local-refs.js';
import { mayVisit, type SchemaWalk, shapeOf, walkOf } from './object-shape.js';
import type { JsonSchema } from './schema.js';

/** What an input schema says in words about one of its fields. */
export interface FieldText {
  readonly name: string;
  /** Empty where nothing is said. */
  readonly description: string;
}

const MAX_DEPTH = 3;
const MAX_FIELDS = 200;

function descriptionOf(schema: unknown, walk: SchemaWalk): string {
  for (const said of [schema, isObject(schema) ? resolveRef(walk.root, schema.$ref) : undefined]) {
    if (isObject(said) && typeof said.description === 'string') return said.description;
  }
  return '';
}

/** The fields of an input schema, those in objects and lists included, each before those in it: at most 200. */
export function fieldTextsOf(inputSchema: JsonSchema): readonly FieldText[] {
  const walk = walkOf(inputSchema);
  const texts: FieldText[] = [];
  const collect = (schemas: readonly unknown[], depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const schema of schemas) {
      for (const [name, fields] of shapeOf(schema, walk).properties) {
        if (texts.length >= MAX_FIELDS || !mayVisit(walk, depth)) return;
        const description =
          fields.map((field) => descriptionOf(field, walk)).find((text) => text !== '') ?? '';
        texts.push({ name, description });
        collect([...fields, ...fields.flatMap(itemsOf)], depth + 1);
      }
    }
  };
  collect([inputSchema], 0);
  return texts;
}

function itemsOf(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return [];
  return [schema.items, ...schemasIn(schema.prefixItems)].filter(isObject);
}
