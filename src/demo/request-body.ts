import type { IncomingMessage } from 'node:http';
import { ReachError } from '../errors.js';

/** More than any payload of the sample agents needs, little enough to hold in memory. */
const MAX_BODY_BYTES = 8_388_608;

/**
 * Reads the body of a request as JSON.
 * @throws ReachError BODY_TOO_LARGE over 8 MB, MALFORMED_REQUEST where it is no JSON in UTF-8
 */
export async function readRequestBody(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge();
  const body = await readBody(request);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new ReachError('MALFORMED_REQUEST', 'The body is not JSON in UTF-8.', { cause });
  }
}

/** Reads by events, not by iteration: leaving a loop early would destroy the connection before its answer. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        chunks.length = 0;
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', (cause) =>
      reject(new ReachError('MALFORMED_REQUEST', 'The body ended early.', { cause })),
    );
  });
}

function tooLarge(): ReachError {
  return new ReachError('BODY_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
