import type { InstanceReport } from './instance.js';

/** Mean time between two heartbeats of one instance, in ms. */
const START_MS = 10_000;
const SHORTEST_MS = 2_000;
const LONGEST_MS = 20_000;

/** Share of the interval by which single waits differ either way, so that a fleet does not beat in step. */
const JITTER = 0.1;

/** The longest wait that any instance is asked for, in ms. */
export const LONGEST_WAIT_MS = Math.round(LONGEST_MS * (1 + JITTER));

const CALMER = 1.5;
const LIVELIER = 0.5;

/** From here on a report counts as moved: less than this is the coming and going of single calls. */
const PENDING_STEP = 2;
const PENDING_SHARE = 0.25;
const LOAD_STEP = 0.2;

function pendingMoved(before = 0, now = 0): boolean {
  return Math.abs(now - before) >= Math.max(PENDING_STEP, PENDING_SHARE * Math.max(before, now));
}

function hasMoved(before: InstanceReport, now: InstanceReport): boolean {
  return (
    now.state !== before.state ||
    pendingMoved(before.pending, now.pending) ||
    Math.abs((now.load ?? 0) - (before.load ?? 0)) >= LOAD_STEP
  );
}

/** How often one instance is asked to beat: seldom while nothing about it changes, often while something does. */
export class HeartbeatInterval {
  readonly #random: () => number;
  #meanMs = START_MS;
  #last: InstanceReport | undefined;

  /** `random`: evenly from 0 to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** The wait in ms before the next heartbeat, without news. */
  next(): number {
    return this.#jittered(this.#meanMs);
  }

  /** The same after a heartbeat. A fenced instance is asked as often as any can be, and goes on from where it was. */
  after(report: InstanceReport, fenced: boolean): number {
    if (this.#last !== undefined) {
      const factor = hasMoved(this.#last, report) ? LIVELIER : CALMER;
      this.#meanMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, this.#meanMs * factor));
    }
    this.#last = report;
    return this.#jittered(fenced ? SHORTEST_MS : this.#meanMs);
  }

  #jittered(meanMs: number): number {
    return Math.round(meanMs * (1 - JITTER + 2 * JITTER * this.#random()));
  }
}
