import type { RedisLink } from './redis-link.js';

const ASKED_EVERY_MS = 30_000;
/** Less than this is the way there and back, and no difference of clocks, in ms. */
const LEAST_MS = 500;

/**
 * How far the clock of Redis is ahead of ours. Clocks of replicas differ: times that several of them compare are kept
 * in Redis's time. It is asked for now and then, and what it said counts until it says something clearly else.
 */
export class RedisTime {
  readonly #link: RedisLink;
  #aheadMs = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  /** In ms; 0 where there is no difference to speak of. @throws ReachError STORE_UNAVAILABLE */
  async aheadMs(): Promise<number> {
    const now = performance.now();
    if (now - this.#askedAt < ASKED_EVERY_MS) return this.#aheadMs;
    const [seconds, micros] = await this.#link.ask((client) => client.time());
    const aheadMs = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) - Date.now();
    if (Math.abs(aheadMs - this.#aheadMs) >= LEAST_MS) this.#aheadMs = aheadMs;
    this.#askedAt = now;
    return this.#aheadMs;
  }
}
