import type { Clock } from '../clock.js';
import { SingleFlight } from '../single-flight.js';
import type { GivenToken } from './token-request.js';

/** The longest before its end that a token is renewed; of one of a short life it is the last tenth. */
const RENEWED_BEFORE_MS = 60_000;
/** After a renewal that failed while the old token still serves. */
const NEXT_TRY_MS = 5_000;

/** A token that is kept, and renewed while it still serves. However many ask, one request is made at a time. */
export class KeptToken {
  readonly #request: () => Promise<GivenToken>;
  readonly #clock: Clock;
  #value: string | undefined;
  #endsAt = 0;
  #renewsAt = 0;
  readonly #requested = new SingleFlight<string>();

  constructor(request: () => Promise<GivenToken>, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  /** Rejects with what the request for it rejects with, where no token serves. */
  async value(): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#value === undefined || now >= this.#endsAt) return this.#renew();
    if (now >= this.#renewsAt) void this.#renewAhead();
    return this.#value;
  }

  /** Lets go of a token that was refused; another one that came meanwhile stays. */
  refuse(value: string): void {
    if (value === this.#value) this.#value = undefined;
  }

  #renew(): Promise<string> {
    return this.#requested.run(() => this.#requestOnce());
  }

  async #renewAhead(): Promise<void> {
    try {
      await this.#renew();
    } catch {
      this.#renewsAt = this.#clock.monotonic() + NEXT_TRY_MS;
    }
  }

  async #requestOnce(): Promise<string> {
    const { value, lifeMs } = await this.#request();
    this.#value = value;
    this.#endsAt = this.#clock.monotonic() + lifeMs;
    this.#renewsAt = this.#endsAt - Math.min(RENEWED_BEFORE_MS, lifeMs / 10);
    return value;
  }
}
