import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asReachError, ReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import { parseJsonBody } from './json-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly bodyDepth?: number;
  }
}

/** RFC 9110, section 8.4.1.3: the second is an older name of the first. */
const GZIP = /^(x-)?gzip$/i;
const unzip = promisify(gunzip);

/** The request sends more bytes than its call takes. */
export function bodyTooLarge({ routeOptions }: FastifyRequest, cause?: unknown): ReachError {
  return new ReachError('BODY_TOO_LARGE', `The body is larger than ${routeOptions.bodyLimit} bytes.`, {
    cause,
  });
}

/** What a body was before it was encoded. The limit of the call holds for it too: a small one may hold gigabytes. */
async function decoded(request: FastifyRequest, encoding: string, bytes: Buffer): Promise<Buffer> {
  if (!GZIP.test(encoding)) {
    throw new ReachError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as it is, or as gzip.');
  }
  try {
    return await unzip(bytes, { maxOutputLength: request.routeOptions.bodyLimit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(request, cause);
    throw new ReachError('MALFORMED_REQUEST', 'The body is not the gzip that its content-encoding says.', {
      errors: [{ pointer: '', expected: 'gzip', received: 'bytes that are none, or not all of it' }],
      cause,
    });
  }
}

function parsed({ routeOptions }: FastifyRequest, bytes: Buffer): unknown {
  // A content type and no body is what many clients send with a call that has none.
  if (bytes.length === 0 && routeOptions.schema?.body === undefined) return undefined;
  return parseJsonBody(bytes, routeOptions.config.bodyDepth ?? LIMITS.bodyDepth);
}

/** Reads bodies of JSON, plain or gzip, and refuses all others. */
export function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const parse = (plain: Buffer) => {
      let value: unknown;
      try {
        value = parsed(request, plain);
      } catch (thrown) {
        done(asReachError(thrown));
        return;
      }
      done(null, value);
    };
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || bytes.length === 0) parse(bytes);
    else decoded(request, encoding, bytes).then(parse, done);
  });
}
