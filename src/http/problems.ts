import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asReachError, ERRORS, type ErrorCode, ReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import { type Problem, problemOf } from '../wire/problem.js';
import { bodyTooLarge } from './body-parser.js';
import { ROUTES } from './routes.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** When the same call makes sense again, where nobody knows better. */
const RETRY_AFTER_MS: Partial<Readonly<Record<ErrorCode, number>>> = { STORE_UNAVAILABLE: 1_000 };

/** Faults of the operator's side: their sentences may name files, so callers get the title and the log the rest. */
const PRIVATE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INTERNAL',
  'CONFIG_INVALID',
  'MODEL_INVALID',
  'PORT_TAKEN',
  'STORE_UNAVAILABLE',
]);

/** What fastify, a plug-in of it, or a broken connection says: not ours, and mostly the caller's doing. */
const isRefusal = (thrown: unknown): thrown is Error & { code?: string; statusCode?: number } =>
  thrown instanceof Error &&
  !(thrown instanceof ReachError) &&
  (String('code' in thrown && thrown.code).startsWith('FST_') || 'statusCode' in thrown);

/** What fastify itself refuses, under our codes. Its own messages repeat what the caller sent, at any length. */
const REFUSALS: Readonly<Record<string, (request: FastifyRequest) => ReachError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (request) => bodyTooLarge(request),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ReachError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ReachError('MALFORMED_REQUEST', 'The body is not as long as its content-length.'),
  ECONNRESET: () => new ReachError('MALFORMED_REQUEST', 'The connection broke before the body was whole.'),
  FST_ERR_BAD_URL: () => new ReachError('MALFORMED_REQUEST', 'The path is not valid percent-encoded UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new ReachError('MALFORMED_REQUEST', `A name in the path is longer than ${LIMITS.idChars} characters.`),
};

function errorOf(thrown: unknown, request: FastifyRequest): ReachError {
  if (!isRefusal(thrown)) return asReachError(thrown);
  const { code = '', statusCode = 500 } = thrown;
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return refusal(request);
  if (statusCode === 403 || statusCode === 404) {
    return new ReachError('NOT_FOUND', 'There is nothing at this address; see /docs.');
  }
  return statusCode < 500
    ? new ReachError('MALFORMED_REQUEST', 'The request cannot be read.')
    : asReachError(thrown);
}

/** What the caller is told of an error, never a stack and never a path of this machine; the log gets the rest. */
export function toldProblem(error: ReachError, request: FastifyRequest): Problem {
  const problem = problemOf(error);
  if (!PRIVATE.has(error.code)) return problem;
  request.log.error({ err: error }, 'a request failed inside');
  return { ...problem, detail: `${problem.title} The log says more under ${request.id}.`, errors: [] };
}

/** Answers with RFC 9457 problem details, whatever was thrown. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = errorOf(thrown, request);
  const { retryAfterMs = RETRY_AFTER_MS[error.code] } = error;
  if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1_000));
  // RFC 9110, section 15.5.16: says which encodings would have done.
  if (error.code === 'UNSUPPORTED_MEDIA_TYPE') reply.header('accept-encoding', 'gzip');
  reply.code(error.status).type(PROBLEM_TYPE).send(toldProblem(error, request));
}

const PATHS = ROUTES.map(({ method, url }) => ({
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  path: new RegExp(`^${url.replace(/:[a-z_]+/g, '[^/]+')}$`),
}));

/** Nothing answers this call: tells a wrong method (405 with `Allow`) from a wrong address (404). */
export function refuseUnknownCall(request: FastifyRequest, reply: FastifyReply): ReachError {
  const path = request.url.split('?', 1)[0] ?? '';
  const allowed = PATHS.filter((route) => route.path.test(path)).flatMap((route) => route.methods);
  if (allowed.length === 0)
    return new ReachError('NOT_FOUND', 'There is nothing at this address; see /docs.');
  reply.header('allow', allowed.join(', '));
  return new ReachError(
    'METHOD_NOT_ALLOWED',
    `This address takes ${allowed.join(', ')}, not ${request.method}.`,
  );
}

const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Answers what is not even HTTP. There is no request yet, so the bytes are written to the socket itself. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const detail = CLIENT_ERRORS[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  const body = JSON.stringify(problemOf(new ReachError('MALFORMED_REQUEST', detail)));
  const head = [
    `HTTP/1.1 ${ERRORS.MALFORMED_REQUEST.status} Bad Request`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
