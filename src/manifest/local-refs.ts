import { isObject, type JsonObject } from '../wire/json-object.js';
import { valueAt } from '../wire/json-pointer.js';
import type { JsonSchema } from './schema.js';

/** The schemas in a keyword's value, `allOf`, `$defs` and the like: those of an array or of an object. */
export function schemasIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** What is named by an anchor: `$anchor`, or the `$id: "#name"` of draft-07, in the definitions of the root. */
function anchored(root: JsonObject, name: string): unknown {
  return [...schemasIn(root.$defs), ...schemasIn(root.definitions)].find(
    (schema) => isObject(schema) && (schema.$anchor === name || schema.$id === `#${name}`),
  );
}

/** The schema that a local `$ref` (`#`, `#/pointer`, `#anchor`) means; undefined where there is none. */
export function resolveRef(root: JsonSchema, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#') || !isObject(root)) return undefined;
  let fragment: string;
  try {
    fragment = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
  return fragment === '' || fragment.startsWith('/') ? valueAt(root, fragment) : anchored(root, fragment);
}
