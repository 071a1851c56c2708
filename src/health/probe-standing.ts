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

/** The standing as data, for other replicas: lengths in place of times. */
export interface StandingSeen {
  readonly kind: Standing['kind'];
  /** Empty where it is fine. */
  readonly why: string;
  /** How long it is not back in any case, in ms. */
  readonly notBackForMs: number;
  readonly failures: number;
  readonly successes: number;
  readonly heartbeatAmongFailures: boolean;
}

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

  seen(nowMs: number): StandingSeen {
    const standing = this.#standing;
    return {
      kind: standing.kind,
      why: standing.kind === 'fine' ? '' : standing.why,
      notBackForMs: standing.kind === 'down' ? Math.max(0, standing.notBeforeMs - nowMs) : 0,
      failures: this.#failures,
      successes: this.#successes,
      heartbeatAmongFailures: this.#heartbeatAmongFailures,
    };
  }

  /** What another replica saw holds in place of what was seen here. */
  adopt(seen: StandingSeen, nowMs: number): void {
    const { kind, why, notBackForMs } = seen;
    this.#failures = seen.failures;
    this.#successes = seen.successes;
    this.#heartbeatAmongFailures = seen.heartbeatAmongFailures;
    if (kind === 'fine') this.#standing = FINE;
    else
      this.#standing = kind === 'fenced' ? { kind, why } : { kind, why, notBeforeMs: nowMs + notBackForMs };
  }

  /** Whether a heartbeat would change anything. */
  get heedsHeartbeats(): boolean {
    return this.#standing.kind === 'down' || (this.#failures > 0 && !this.#heartbeatAmongFailures);
  }

  /** Whether failures stand in a row. */
  get isFailing(): boolean {
    return this.#failures > 0;
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
