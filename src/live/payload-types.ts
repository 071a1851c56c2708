import { MOST_PAYLOAD_FIELDS, type PayloadFields, type PayloadType } from '../wire/payload-fields.js';
import type { RouteRequest } from '../wire/route.js';

function typeOf(value: unknown): PayloadType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as PayloadType;
}

/** What assignment would not do with a field that is called `__proto__`; for every field it would cost five times as much. */
function setOwn(fields: object, name: string, value: PayloadType): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The JSON type of each field of a payload, by name: what may be told of it to others than its agent. */
export function fieldTypesOf(payload: RouteRequest['payload']): PayloadFields {
  const fields: Record<string, PayloadType> = {};
  if (payload === null || payload === undefined) return fields;
  for (const name of Object.keys(payload).slice(0, MOST_PAYLOAD_FIELDS)) {
    const type = typeOf(payload[name]);
    if (name === '__proto__') setOwn(fields, name, type);
    else fields[name] = type;
  }
  return fields;
}

const VALUES: Readonly<Record<PayloadType, unknown>> = Object.freeze({
  null: null,
  boolean: true,
  integer: 1,
  number: 0.5,
  string: 'text',
  array: Object.freeze([]),
  object: Object.freeze({}),
});

/**
 * A payload of which `fieldTypesOf` tells the same. For routing it is like the one that was sent but where values count:
 * what an object in it must have is missing here, and of alternatives another one may be meant.
 */
export function payloadOf(fields: PayloadFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, VALUES[type]]));
}
