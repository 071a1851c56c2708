import { performance } from 'node:perf_hooks';

/** Time as the rooms see it, so that tests can let hours pass in a moment. */
export interface Clock {
  /** Wall time in ms since the epoch; may jump. For stamps that people read. */
  now(): number;
  /** Monotonic time in ms. For durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `delayMs`; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A timer that comes later than this after its time, in ms, means that this process stood still. */
export const STALL_MS = 500;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
