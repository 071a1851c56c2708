import { ReachError } from '../errors.js';
import type { Manifest } from '../manifest/schema.js';
import { checkAllowedHost } from '../net/allowed-hosts.js';
import type { HttpClient } from '../net/http-client.js';
import type { HttpResponse } from '../net/http-outcome.js';
import { readSecret } from '../net/secret-ref.js';
import { readAnswerBody } from './answer-body.js';

export type ClientCredentials = Extract<Manifest['auth'], { type: 'oauth2_client_credentials' }>;

/** A token as it was given. */
export interface GivenToken {
  readonly value: string;
  /** How long it serves from now on. */
  readonly lifeMs: number;
}

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 65_536;
/** Where an endpoint does not say how long its token serves. */
const DEFAULT_LIFE_MS = 300_000;
/** Fits a header (RFC 6750, 2.1, and some more that are given out). */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** What an endpoint may say of a refusal (RFC 6749, 5.2). Other words of it could give a secret away. */
const REFUSALS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];

interface TokenParts {
  readonly http: HttpClient;
  readonly allowedHosts: readonly string[];
}

async function headersFor({ clientIdRef, clientSecretRef }: ClientCredentials) {
  const [id, secret] = await Promise.all([readSecret(clientIdRef), readSecret(clientSecretRef)]);
  // RFC 6749, 2.3.1: form-encoded first, so that a colon in the id stays one.
  const credentials = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
}

/** A string of digits is forgiven. Undefined where it is no time. */
function lifeMsOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn !== '' ? Number(expiresIn) : expiresIn;
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : DEFAULT_LIFE_MS;
}

/** The token of an answer, or what is wrong with it, in words that complete "the token endpoint ...". */
function readToken(answer: HttpResponse): GivenToken | string {
  const body = readAnswerBody(answer);
  if (answer.status !== 200) {
    const refusal = body.kind === 'read' ? REFUSALS.find((code) => code === body.value.error) : undefined;
    return `answered with status ${answer.status}${refusal === undefined ? '' : `: ${refusal}`}`;
  }
  if (body.kind === 'unreadable') return `answered with ${body.fault}`;
  const { access_token: value, token_type: type, expires_in: expiresIn } = body.value;
  if (typeof value !== 'string' || !TOKEN.test(value)) return 'answered without an access_token';
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') return 'gives no tokens of type Bearer';
  return { value, lifeMs: lifeMsOf(expiresIn) };
}

/**
 * Asks for a token (RFC 6749, 4.4).
 * @throws ReachError ADDRESS_FORBIDDEN where the host of the endpoint is not allowed, CONFIG_INVALID where a secret
 * cannot be read, AGENT_NEEDS_AUTH where no token is given.
 */
export async function requestToken(
  auth: ClientCredentials,
  { http, allowedHosts }: TokenParts,
): Promise<GivenToken> {
  const url = checkAllowedHost(auth.tokenUrl, allowedHosts);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope !== undefined) form.set('scope', auth.scope);
  const outcome = await http.request({
    url,
    headers: await headersFor(auth),
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  });
  const token = outcome.kind === 'failed' ? `cannot be asked: ${outcome.detail}` : readToken(outcome);
  if (typeof token === 'string') {
    throw new ReachError('AGENT_NEEDS_AUTH', `the token endpoint at ${url.host} ${token}`);
  }
  return token;
}
