import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { checkAllowedHost } from '../net/allowed-hosts.js';
import type { HttpClient } from '../net/http-client.js';
import { readSecret } from '../net/secret-ref.js';
import type { OutboxMessage } from './message.js';
import { refusalIn, sealed } from './sealed-message.js';

/** In which a receiver must have answered. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an answer no more is read: only platforms say something in it, and that is short. */
const ANSWER_BYTES = 16_384;
const GONE = 410;

/** What came of one attempt. */
export type AttemptOutcome =
  | { readonly kind: 'taken' }
  /** Worth another attempt later. `why` is in words without a full stop; `fault`: what is wrong with us, for the log alone. */
  | { readonly kind: 'failed'; readonly why: string; readonly fault?: string }
  /** The receiver wants nothing any more. */
  | { readonly kind: 'gone'; readonly why: string }
  /** We ended it ourselves: it counts as none. */
  | { readonly kind: 'interrupted' };

export interface AttemptParts {
  readonly http: Pick<HttpClient, 'request'>;
  readonly allowedHosts: readonly string[];
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const failed = (why: string) => ({ kind: 'failed', why }) as const;

/** Sends a message once. Never rejects. No secret stands in what it tells, and so none of the URL either. */
export async function attempt(
  message: OutboxMessage,
  { http, allowedHosts, clock, signal }: AttemptParts,
): Promise<AttemptOutcome> {
  const { url, form, secretRef } = message;
  try {
    // The configuration may be another one than when it was accepted.
    checkAllowedHost(url, allowedHosts);
    const secret = secretRef === undefined ? undefined : await readSecret(secretRef);
    const request = { ...sealed(message, secret, clock.now()), timeoutMs: ATTEMPT_TIMEOUT_MS, signal };
    const outcome = await http.request({ ...request, maxBytes: ANSWER_BYTES });
    if (outcome.kind === 'failed' && outcome.reason === 'cancelled') return { kind: 'interrupted' };
    const { status } = outcome;
    if (status === undefined) return failed(outcome.kind === 'failed' ? outcome.detail : 'no answer');
    if (status === GONE) return { kind: 'gone', why: 'answered 410: it is not wanted any more' };
    if (status < 200 || status > 299) return failed(`answered ${status}`);
    const answer = outcome.kind === 'answered' ? outcome.body.toString() : '';
    const refusal = refusalIn(form, answer);
    return refusal === undefined ? { kind: 'taken' } : failed(refusal);
  } catch (thrown) {
    const { code, message } = asReachError(thrown);
    if (code === 'ADDRESS_FORBIDDEN') return failed(message.replace(/\.$/, ''));
    // It may name a file of ours, and whoever asked to be told can read why that failed.
    return { ...failed('the service cannot sign it'), fault: message };
  }
}
