import { describe, ReachError, sentenceOf } from '../errors.js';
import type { Lifecycle } from '../lifecycle.js';
import { RunningCalls } from '../running-calls.js';
import type { Check } from '../wire/check.js';

/** When a caller that came during the start may come again. */
const STARTING_RETRY_MS = 1_000;

/** How far back a call looks where it does not say so. */
export const DEFAULT_HOURS = 24;

/** Lets calls in while the service is open, and lets those that are under way end before it closes. */
export class OpenCalls {
  readonly #lifecycle: Lifecycle;
  readonly #started: () => boolean;
  readonly #running = new RunningCalls();

  constructor(lifecycle: Lifecycle, started: () => boolean) {
    this.#lifecycle = lifecycle;
    this.#started = started;
    // A publish may wait for thousands of texts: at a close it ends with CLOSED, and nothing of it was stored.
    lifecycle.add('calls', () => this.#running.ended());
  }

  /** For calls that need no catalogue. @throws ReachError CLOSED */
  refuseIfClosing(): void {
    if (this.#lifecycle.closing) this.refuseIfEnding();
  }

  /** For what would go on beginning new work. @throws ReachError CLOSED once the end is announced */
  refuseIfEnding(): void {
    this.#lifecycle.ending.throwIfAborted();
  }

  /** Aborted with `signal`, and once the end is announced: for work that nobody need wait for then. */
  endOf(signal: AbortSignal | undefined): AbortSignal {
    const { ending } = this.#lifecycle;
    return signal === undefined ? ending : AbortSignal.any([signal, ending]);
  }

  /** @throws ReachError CLOSED, NOT_READY while the catalogue is being embedded */
  refuseUnlessOpen(): void {
    this.refuseIfClosing();
    if (this.#started()) return;
    const retry = { retryAfterMs: STARTING_RETRY_MS };
    throw new ReachError('NOT_READY', 'The catalogue is still being embedded.', retry);
  }

  track<Result>(call: Promise<Result>): Promise<Result> {
    return this.#running.track(call);
  }
}

/** @throws ReachError INVALID_REQUEST with every fault */
export function refuseUnlessFit(check: Check, request: unknown): void {
  const errors = check(request);
  if (errors.length > 0)
    throw new ReachError('INVALID_REQUEST', sentenceOf(errors, 'the request'), { errors });
}

/** @throws ReachError INVALID_REQUEST */
export function refuseUnlessWhole(pointer: string, value: number, maximum: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return;
  const errors = [{ pointer, expected: `a whole number from 1 to ${maximum}`, received: describe(value) }];
  throw new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors });
}
