import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Refusal } from './refusal.js';

/** More than a service hands on, little enough to hold in memory. */
const MAX_BODY_BYTES = 8_388_608;
/** What is nested deeper would run others out of stack. */
const MAX_DEPTH = 512;

/**
 * Reads the body of a request as JSON, unpacked where it came with gzip.
 * @throws Refusal BODY_TOO_LARGE over 8 MB, MALFORMED_REQUEST where it is no JSON in UTF-8 or nested too deep
 */
export async function readRequestBody(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge();
  const value = parsed(await readBody(request));
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new Refusal('MALFORMED_REQUEST', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return value;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal('MALFORMED_REQUEST', 'The body is not JSON in UTF-8.');
  }
}

/** Reads by events, not by iteration: leaving a loop early would destroy the connection before its answer. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const endedEarly = () =>
      reject(new Refusal('MALFORMED_REQUEST', 'The body ended early, or is not what content-encoding says.'));
    const content = contentOf(request);
    content.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        chunks.length = 0;
        reject(tooLarge());
        // The rest of a packed body is not worth unpacking.
        if (content !== request) request.unpipe().resume();
      } else {
        chunks.push(chunk);
      }
    });
    content.once('end', () => resolve(Buffer.concat(chunks)));
    content.once('error', endedEarly);
    if (content !== request) request.once('error', endedEarly);
  });
}

/** @throws Refusal MALFORMED_REQUEST for an encoding other than gzip */
function contentOf(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request;
  if (encoding === 'gzip') return request.pipe(createGunzip());
  throw new Refusal('MALFORMED_REQUEST', `content-encoding: expected gzip or identity, received ${encoding}`);
}

function tooLarge(): Refusal {
  return new Refusal('BODY_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}
