import { valueAt } from '../wire/json-pointer.js';
import type { JsonSchema } from './schema.js';

export type SchemaObject = Readonly<Record<string, unknown>>;

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schemas in a keyword's value, `allOf`, `$defs` and the like: those of an array or of an object. */
export function schemasIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isSchemaObject(value) ? Object.values(value) : [];
}

/** What is named by an anchor: `$anchor`, or the `$id: "#name"` of draft-07, in the definitions of the root. */
function anchored(root: SchemaObject, name: string): unknown {
  return [...schemasIn(root.$defs), ...schemasIn(root.definitions)].find(
    (schema) => isSchemaObject(schema) && (schema.$anchor === name || schema.$id === `#${name}`),
  );
}

/** The schema that a local `$ref` (`#`, `#/pointer`, `#anchor`) means; undefined where there is none. */
export function resolveRef(root: JsonSchema, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#') || !isSchemaObject(root)) return undefined;
  let fragment: string;
  try {
    fragment = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
  return fragment === '' || fragment.startsWith('/') ? valueAt(root, fragment) : anchored(root, fragment);
}
