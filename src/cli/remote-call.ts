import type { Static, TSchema } from 'typebox';
import { ReachError } from '../errors.js';
import type { Camel, Codec } from '../wire/codec.js';
import { decoded, fits, jsonOf, noServer, refusalOf, textOf } from './remote-answer.js';

/** For the whole call; a decision takes milliseconds, and longer work is followed, so this is a server that hangs. */
const TIMEOUT_MS = 30_000;

interface Received {
  readonly ok: boolean;
  readonly text: string;
}

async function receive(url: URL, init: RequestInit): Promise<Received> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { ok: response.ok, text: await textOf(response) };
  } catch (cause) {
    if (cause instanceof ReachError) throw cause;
    const late = cause instanceof Error && cause.name === 'TimeoutError';
    const why = late ? `did not answer within ${TIMEOUT_MS / 1_000} s` : 'cannot be reached';
    throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} ${why}.`, { cause });
  }
}

async function answered(url: URL, init: RequestInit): Promise<unknown> {
  const { ok, text } = await receive(url, init);
  const body = jsonOf(text);
  if (!ok) throw refusalOf(url, body);
  return body;
}

/** One call of a server. @throws ReachError SERVER_UNREACHABLE, and what the server answers */
export async function call<Wire>(url: URL, codec: Codec<Wire>, init: RequestInit = {}): Promise<Camel<Wire>> {
  return decoded(url, codec, await answered(url, init));
}

/** Asks a server for what code has as the wire has it. @throws ReachError SERVER_UNREACHABLE, and what the server answers */
export async function fetched<Schema extends TSchema>(url: URL, schema: Schema): Promise<Static<Schema>> {
  const body = await answered(url, {});
  if (!fits(schema, body)) throw noServer(url);
  return body as Static<Schema>;
}

export const sending = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
