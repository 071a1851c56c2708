import { BREAKER_OPEN_MS } from './breaker.js';
import { LOGIN_RETRY_MS } from './instance-health.js';
import type { InstanceState } from './instance-view.js';
import { LEAST_DOWN_MS, SUCCESSES_BACK } from './probe-standing.js';
import { PROBED_EVERY_MS } from './probe-targets.js';

/**
 * After so long in a state an instance may take work again, in ms: at the earliest where that is decided here, a guess
 * where others decide. In a state that takes work only a breaker keeps calls away.
 */
export const RETURNS_AFTER_MS: Readonly<Record<InstanceState, number>> = {
  up: BREAKER_OPEN_MS,
  degraded: BREAKER_OPEN_MS,
  busy: BREAKER_OPEN_MS,
  fenced: SUCCESSES_BACK * PROBED_EVERY_MS,
  paused: 10_000,
  draining: 60_000,
  needs_auth: LOGIN_RETRY_MS,
  down: LEAST_DOWN_MS,
  expired: 20_000,
};
