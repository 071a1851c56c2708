import { describe, type FieldError, sentenceOf } from '../errors.js';
import { pointerStep } from '../wire/json-pointer.js';
import { namesPrototype } from '../wire/unsafe-value.js';
import { MANIFEST_LIMITS } from './schema.js';

/** What was found that is no plain JSON within the limits of a manifest. */
export class NotPlain extends Error {
  readonly fault: FieldError;

  constructor(pointer: string, expected: string, received: string) {
    const fault = { pointer, expected, received };
    super(sentenceOf([fault]));
    this.fault = fault;
  }
}

/** Counts the bytes of compact JSON as values are copied; escapes and a few brackets are not counted. */
export interface ByteCount {
  bytes: number;
}

function count(size: ByteCount, bytes: number): void {
  size.bytes += bytes;
  if (size.bytes > MANIFEST_LIMITS.bytes) {
    throw new NotPlain('', `a manifest of at most ${MANIFEST_LIMITS.bytes} bytes`, 'a larger one');
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyOfObject(value: object, pointer: string, depth: number, size: ByteCount): unknown {
  if (!isPlainObject(value)) throw new NotPlain(pointer, 'plain JSON', `a ${value.constructor?.name}`);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const below = pointer + pointerStep(key);
    if (namesPrototype(key, item)) throw new NotPlain(below, 'a field of another name', `the name ${key}`);
    count(size, Buffer.byteLength(key) + 4);
    copy[key] = plainCopy(item, below, depth + 1, size);
  }
  return Object.freeze(copy);
}

/**
 * A frozen copy that shares nothing with the original and holds nothing but JSON: what is checked is what is
 * kept, and stays as it is, whoever is given it.
 * Fields that are undefined are left out. `depth` is the nesting of `value` itself, 1 for the whole.
 * @throws NotPlain on anything that JSON cannot hold, on unsafe keys, and over the limits of depth and bytes.
 */
export function plainCopy(value: unknown, pointer: string, depth: number, size: ByteCount): unknown {
  if (typeof value === 'string') {
    count(size, Buffer.byteLength(value) + 2);
    return value;
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) {
    count(size, String(value).length);
    return value;
  }
  if (typeof value !== 'object') throw new NotPlain(pointer, 'a JSON value', describe(value));
  if (depth > MANIFEST_LIMITS.depth) {
    throw new NotPlain(pointer, `at most ${MANIFEST_LIMITS.depth} levels of nesting`, 'more');
  }
  count(size, 2);
  if (!Array.isArray(value)) return copyOfObject(value, pointer, depth, size);
  const items = Array.from(value, (item: unknown, index) => {
    count(size, 1);
    return plainCopy(item, `${pointer}/${index}`, depth + 1, size);
  });
  return Object.freeze(items);
}

/** Freezes JSON that nobody else has, at every depth. Expects bounded depth. */
export function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFrozen(item);
    Object.freeze(value);
  }
  return value;
}
