import { isObject, type JsonObject } from '../wire/json-object.js';
import { pointerStep, valueAt } from '../wire/json-pointer.js';
import type { JsonSchema } from './schema.js';

/** The schemas in a keyword's value, `allOf`, `$defs` and the like: those of an array or of an object. */
export function schemasIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** Where an anchor's schema is: `$anchor`, or the `$id: "#name"` of draft-07, in the definitions of the root. */
function anchorPointer(root: JsonObject, name: string): string | undefined {
  for (const keyword of ['$defs', 'definitions']) {
    const definitions = root[keyword];
    if (!isObject(definitions)) continue;
    for (const [key, schema] of Object.entries(definitions)) {
      if (!isObject(schema)) continue;
      if (schema.$anchor === name || schema.$id === `#${name}`) return `/${keyword}${pointerStep(key)}`;
    }
  }
  return undefined;
}

/** The pointer from the root that a local `$ref` (`#`, `#/pointer`, `#anchor`) means; undefined where it is none. */
export function refPointer(root: JsonSchema, ref: unknown): string | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#') || !isObject(root)) return undefined;
  let fragment: string;
  try {
    fragment = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
  return fragment === '' || fragment.startsWith('/') ? fragment : anchorPointer(root, fragment);
}

/** The schema that a local `$ref` means; undefined where there is none. */
export function resolveRef(root: JsonSchema, ref: unknown): unknown {
  const pointer = refPointer(root, ref);
  return pointer === undefined ? undefined : valueAt(root, pointer);
}
