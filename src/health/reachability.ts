import { PROBE_TIMEOUT_MS } from './probe.js';

/** What the reachability of an instance is made of. */
export interface ReachabilityParts {
  /** 0..1. */
  readonly probeSuccess: number;
  readonly pending: number;
  /** Undefined: there is no maximum, and pending counts nothing. */
  readonly maxConcurrency: number | undefined;
  /** Of the last probe; the whole timeout where it failed. */
  readonly rttMs: number;
  /** 0..1. */
  readonly errorRate: number;
}

/** A share of 0..1, whatever the quotient. */
const share = (part: number, whole: number) => Math.min(1, Math.max(0, part / whole));

/** How well an instance can take work, 0..1: the formula of the section Health in docs/architecture.md. */
export function reachabilityFrom(parts: ReachabilityParts): number {
  const { probeSuccess, pending, maxConcurrency, rttMs, errorRate } = parts;
  const load = maxConcurrency === undefined ? 0 : share(pending, maxConcurrency);
  const slowness = share(rttMs, PROBE_TIMEOUT_MS);
  // In tenths, so that nothing but ones makes exactly 1.
  return share(4 * probeSuccess + 3 * (1 - load) + 2 * (1 - slowness) + (1 - errorRate), 10);
}
