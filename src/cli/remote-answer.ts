import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode, ReachError } from '../errors.js';
import { checkOf } from '../wire/check.js';
import type { Camel, Codec } from '../wire/codec.js';
import { type Problem, ProblemSchema } from '../wire/problem.js';

/** More than any catalogue that a command lists; without an end, an answer would fill the memory. */
const MAX_BYTES = 128 * 1_048_576;

export function noServer({ origin }: URL): ReachError {
  return new ReachError('SERVER_UNREACHABLE', `What answers at ${origin} is not an Agent-Reach server.`);
}

/** @throws ReachError SERVER_UNREACHABLE where it is longer than any answer of a server. */
export async function textOf({ url, body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw noServer(new URL(url));
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The value that a text is in JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function fits(schema: TSchema, value: unknown): boolean {
  return checkOf(schema)(value).length === 0;
}

/**
 * What a server answered, as code has it.
 * @throws ReachError SERVER_UNREACHABLE where it does not fit
 */
export function decoded<Wire>(url: URL, codec: Codec<Wire>, value: unknown): Camel<Wire> {
  if (!fits(codec.schema, value)) throw noServer(url);
  return codec.decode(value as Wire);
}

/** The error that a server's problem details describe, or that there are none. */
export function refusalOf(url: URL, body: unknown): ReachError {
  if (!fits(ProblemSchema, body)) return noServer(url);
  const { code, detail, errors } = body as Problem;
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'INTERNAL';
  return new ReachError(known, detail, { errors });
}
