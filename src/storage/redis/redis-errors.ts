import { ReachError } from '../../errors.js';

/** When it makes sense to try again, in ms. */
const RETRY_AFTER_MS = 1_000;

/** What Redis says at the head of an error, and what it means to a person. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password)/, 'Redis does not take the user and password.'],
  [/^NOPERM/, 'The Redis user may not do what Agent-Reach needs: it wants all commands on its own keys.'],
  [/^READONLY/, 'This Redis is a read-only replica: name its master, or its sentinels.'],
  [/^OOM/, 'Redis is full (maxmemory).'],
  [/^MISCONF/, 'Redis refuses writes, since it cannot save what it has to its disk.'],
  [/^LOADING/, 'Redis is still reading its file.'],
  [/^(CLUSTERDOWN|MASTERDOWN|TRYAGAIN)/, 'A part of the Redis cluster is down or moving.'],
  [/^(BUSY|UNKILLABLE)/, 'Redis is busy with a script.'],
  [/timed out|ETIMEDOUT/, 'Redis does not answer.'],
  [/ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN/, 'Redis cannot be reached.'],
  [/closed|writeable|ECONNRESET|EPIPE|ended|retries/i, 'The connection to Redis is lost.'],
];

/** Whether the connection is at fault, and not what was asked. */
export function isConnectionFault(thrown: unknown): boolean {
  return /timed out|closed|writeable|retries|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH/i.test(
    messageOf(thrown),
  );
}

/** The error that leaves the store: STORE_UNAVAILABLE with a sentence, whatever Redis and its client say. */
export function asRedisError(thrown: unknown, place: string, keys: readonly string[] = []): ReachError {
  if (thrown instanceof ReachError) return thrown;
  const message = messageOf(thrown);
  const options = { cause: thrown, retryAfterMs: RETRY_AFTER_MS };
  if (message.startsWith('WRONGTYPE')) {
    const which = keys.length === 0 ? '' : ` (one of ${keys.join(', ')})`;
    const detail = `A key of Redis that is ours by its prefix holds something else${which}: choose another prefix, or remove it. ${place}`;
    return new ReachError('STORE_UNAVAILABLE', detail, options);
  }
  const known = SENTENCES.find(([form]) => form.test(message))?.[1];
  return new ReachError('STORE_UNAVAILABLE', `${known ?? `Redis says: ${message}.`} ${place}`, options);
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
