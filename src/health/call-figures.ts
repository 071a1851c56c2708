import { CallWindow, WORKS } from './call-window.js';
import type { CallOutcome } from './instance-view.js';

/** Share of the newest answer in the smoothed latency: about the last ten answers count. */
const LATENCY_WEIGHT = 0.2;

/** What our own calls show of an instance in figures. Times are monotonic. */
export class CallFigures {
  readonly #window = new CallWindow();
  #inFlight = 0;
  #latencyMs: number | undefined;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Smoothed, of answers; undefined before the first. */
  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  /** Of the last five minutes, 0..1. */
  errorRate(nowMs: number): number {
    return this.#window.errorRate(nowMs);
  }

  begin(): void {
    this.#inFlight += 1;
  }

  end({ outcome, elapsedMs }: CallOutcome, nowMs: number): void {
    this.#inFlight -= 1;
    const works = WORKS[outcome];
    if (works !== undefined) this.#window.add(works, nowMs);
    // Only answers have a latency; a quick failure must not make an instance look fast.
    if (outcome !== 'completed' || elapsedMs === undefined) return;
    this.#latencyMs = (this.#latencyMs ?? elapsedMs) * (1 - LATENCY_WEIGHT) + elapsedMs * LATENCY_WEIGHT;
  }
}
