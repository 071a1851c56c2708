import type { RouteRequest } from '../wire/route.js';

/** Fields beyond these are for machines to read. */
const MOST_FIELDS = 200;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The JSON type of each field of a payload, by name: what may be told of it to others than its agent. */
export function fieldTypesOf(payload: RouteRequest['payload']): Record<string, string> {
  const types: Record<string, string> = {};
  for (const name of Object.keys(payload ?? {}).slice(0, MOST_FIELDS)) types[name] = typeOf(payload?.[name]);
  return types;
}
