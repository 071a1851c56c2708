export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is what JSON calls an object: no array, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
