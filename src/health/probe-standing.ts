const FAILURES_OUT = 3;
export const SUCCESSES_BACK = 5;
export const LEAST_DOWN_MS = 60_000;

/** What the probes of an instance have come to. */
export type Standing =
  | { readonly kind: 'fine' }
  /** Not back before `notBeforeMs`, whatever probes say. */
  | { readonly kind: 'down'; readonly why: string; readonly notBeforeMs: number }
  /** Its heartbeats come all the same. */
  | { readonly kind: 'fenced'; readonly why: string };

const FINE: Standing = { kind: 'fine' };

/**
 * Takes an instance out after three failures in a row, and lets it back after five successes in a row: a fenced one
 * at once, one that is down after a minute at least, so that it does not come and go with every flap. Times are monotonic.
 */
export class ProbeStanding {
  #standing: Standing;
  #failures = 0;
  #successes = 0;
  /** Whether a heartbeat came since the first failure of the row: that the instance lives is known then. */
  #heartbeatAmongFailures = false;

  /** `downBecause`: why it has to show first that it is there. */
  constructor(downBecause: string | undefined) {
    this.#standing =
      downBecause === undefined
        ? FINE
        : { kind: 'down', why: downBecause, notBeforeMs: Number.NEGATIVE_INFINITY };
  }

  get current(): Standing {
    return this.#standing;
  }

  succeeded(nowMs: number): void {
    this.alive();
    const standing = this.#standing;
    if (standing.kind === 'fine') return;
    this.#successes += 1;
    if (this.#successes < SUCCESSES_BACK) return;
    if (standing.kind === 'down' && nowMs < standing.notBeforeMs) return;
    this.#standing = FINE;
  }

  failed(detail: string, nowMs: number): void {
    this.#successes = 0;
    if (this.#standing.kind !== 'fine') return;
    this.#failures += 1;
    if (this.#failures < FAILURES_OUT) return;
    const why = `${FAILURES_OUT} probes failed: ${detail}`;
    this.#standing = this.#heartbeatAmongFailures ? { kind: 'fenced', why } : downFrom(nowMs, why);
  }

  /** Something else than a probe showed that it can be reached: failures before that are no row with those after. */
  alive(): void {
    this.#failures = 0;
    this.#heartbeatAmongFailures = false;
  }

  /** A heartbeat came within its lease, or it answered a call. */
  heartbeatCame(): void {
    if (this.#standing.kind === 'down') this.#standing = { kind: 'fenced', why: this.#standing.why };
    else this.#heartbeatAmongFailures = this.#failures > 0;
  }

  /** No heartbeat comes any more: what was fenced is as good as down. */
  leaseOver(nowMs: number): void {
    this.#heartbeatAmongFailures = false;
    if (this.#standing.kind === 'fenced') this.#standing = downFrom(nowMs, this.#standing.why);
  }
}

function downFrom(nowMs: number, why: string): Standing {
  return { kind: 'down', why, notBeforeMs: nowMs + LEAST_DOWN_MS };
}
