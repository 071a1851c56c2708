import { setTimeout as delay } from 'node:timers/promises';
import { atOnce } from './at-once.js';

/** A block of calls of which always as many are under way. */
export interface Block {
  /** Calls a second. */
  readonly rate: number;
  /** How long each took, in ms. */
  readonly times: readonly number[];
}

/**
 * Calls again as soon as one is answered, with `inFlight` at once, until there were so many calls. The first calls are
 * spread over `rampMs`: callers who all begin in one instant would go on in step for a while, as one great burst.
 */
export async function closedLoop(
  inFlight: number,
  calls: number,
  call: (index: number) => Promise<unknown>,
  rampMs = 0,
): Promise<Block> {
  const times: number[] = [];
  const startedAt = performance.now();
  await atOnce(
    inFlight,
    Array.from({ length: calls }, (_, index) => index),
    async (index) => {
      if (rampMs > 0 && index < inFlight) await delay((index * rampMs) / inFlight);
      const sentAt = performance.now();
      await call(index);
      times.push(performance.now() - sentAt);
    },
  );
  return { rate: (calls * 1_000) / (performance.now() - startedAt), times };
}
