import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/manifest/schema.js';
import { isObject, type JsonObject } from '../../src/wire/json-object.js';
import { pointerKeys, pointerStep, valueAt } from '../../src/wire/json-pointer.js';

/** A payload from which required fields were taken out. */
export interface BrokenPayload {
  readonly payload: JsonObject;
  readonly removed: readonly string[];
  /** What is missing now: what was removed, and what was missing before elsewhere. Sorted. */
  readonly missing: readonly string[];
}

const MOST_REMOVED = 3;

/** Pointers of all fields, nested ones and those of items too. */
function fieldsIn(value: unknown, base = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => fieldsIn(item, base + pointerStep(i)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const pointer = base + pointerStep(name);
    return [pointer, ...fieldsIn(item, pointer)];
  });
}

function without(payload: JsonObject, pointers: readonly string[]): JsonObject {
  const copy = structuredClone(payload);
  for (const pointer of pointers) {
    const holder = valueAt(copy, pointer.slice(0, pointer.lastIndexOf('/')));
    if (isObject(holder)) Reflect.deleteProperty(holder, pointerKeys(pointer).at(-1) ?? '');
  }
  return copy;
}

const isWithin = (pointer: string, outer: string) => pointer === outer || pointer.startsWith(`${outer}/`);

/** Takes required fields out of payloads. A bare Ajv says what is required: nothing that is measured has a say in it. */
export class PayloadBreaker {
  readonly #missingOf: (payload: unknown) => readonly string[];

  constructor(schema: JsonSchema) {
    // Patterns decide nothing here, and collected catalogues have malformed ones.
    const plain = JSON.parse(JSON.stringify(schema), (key, value) =>
      key === 'pattern' && typeof value === 'string' ? undefined : value,
    );
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false });
    const validate = ajv.compile(plain);
    this.#missingOf = (payload) => {
      validate(payload);
      return (validate.errors ?? [])
        .filter(({ keyword }) => keyword === 'required')
        .map(({ instancePath, params }) => instancePath + pointerStep(String(params.missingProperty)));
    };
  }

  /** The payload without one to three of its required fields, drawn at random; undefined where it has none. */
  break(payload: JsonObject, random: () => number): BrokenPayload | undefined {
    const required = fieldsIn(payload).filter((pointer) =>
      this.#missingOf(without(payload, [pointer])).includes(pointer),
    );
    const removed: string[] = [];
    for (let left = 1 + Math.floor(random() * MOST_REMOVED); left > 0 && required.length > 0; left -= 1) {
      const [drawn = ''] = required.splice(Math.floor(random() * required.length), 1);
      const apart = removed.every((other) => !isWithin(drawn, other) && !isWithin(other, drawn));
      if (apart) removed.push(drawn);
    }
    if (removed.length === 0) return undefined;
    const before = this.#missingOf(payload).filter(
      (pointer) => !removed.some((outer) => isWithin(pointer, outer)),
    );
    return { payload: without(payload, removed), removed, missing: [...removed, ...before].sort() };
  }
}
