import type { Capability } from '../manifest/schema.js';
import type { RequestLife } from '../requests/request-life.js';
import type { DispatchRequest, Lane } from '../wire/dispatch.js';
import type { Decision } from '../wire/route.js';
import type { RetryPolicy } from './retry-plan.js';

type Deadlines = DispatchRequest['deadlines'];

const SEEK_MS: Readonly<Record<Lane, number>> = { P0: 150, P1: 2_000, P2: 30_000 };
/** Nobody waits for it. */
const SEEK_ASYNC_MS = 600_000;
const ACK_MS: Readonly<Record<Lane, number>> = { P0: 200, P1: 2_000, P2: 2_000 };
const EXECUTE_MS: Readonly<Record<Lane, number>> = { P0: 5_000, P1: 5_000, P2: 30_000 };

const MAX_ATTEMPTS = 3;
const BACKOFF_BASE_MS = 200;
const BACKOFF_FACTOR = 2;

/** How long it may take to find out who does it, and for a slot there, in ms. */
export function seekBudgetMs(lane: Lane, deadlines: Deadlines, mode: RequestLife['mode']): number {
  return deadlines?.seekMs ?? (mode === 'async' ? SEEK_ASYNC_MS : SEEK_MS[lane]);
}

/** How long the first event of a stream may take, in ms. */
export function ackBudgetMs(lane: Lane, deadlines: Deadlines): number {
  return deadlines?.ackMs ?? ACK_MS[lane];
}

/** How long the work may take, all attempts together, in ms: request > rule > capability > lane. */
export function executeBudgetMs(
  lane: Lane,
  deadlines: Deadlines,
  { timeoutMs }: Pick<Decision, 'timeoutMs'>,
  { deadlineMs }: Capability,
): number {
  return deadlines?.executeMs ?? timeoutMs ?? deadlineMs ?? EXECUTE_MS[lane];
}

export function retryPolicyOf({ retryPolicy = {} }: Pick<DispatchRequest, 'retryPolicy'>): RetryPolicy {
  const { maxAttempts, backoffBaseMs, backoffFactor } = retryPolicy;
  return {
    maxAttempts: maxAttempts ?? MAX_ATTEMPTS,
    backoffBaseMs: backoffBaseMs ?? BACKOFF_BASE_MS,
    backoffFactor: backoffFactor ?? BACKOFF_FACTOR,
  };
}
