import { createHash } from 'node:crypto';

/** JSON text in which the order of an object's keys does not show. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${fields.sort().join()}}`;
}

/** SHA-256 of that text, in hex: the same for what says the same. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
