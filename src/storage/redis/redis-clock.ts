import { type Clock, systemClock } from '../../clock.js';
import { Rounds } from '../../rounds.js';
import type { RedisLink } from './redis-link.js';

const ASKED_EVERY_MS = 10_000;
/** An answer that took longer says too little of when Redis read its clock. */
const MOST_TAKEN_MS = 250;

/**
 * The time of Redis, as all who share it see it, however far apart the clocks of their machines are: asked again and
 * again, and counted on between by this process's monotonic time, also while Redis is away.
 */
export class RedisClock implements Clock {
  readonly #link: RedisLink;
  readonly #base: Clock;
  readonly #rounds: Rounds;
  /** What is added to the monotonic time. */
  #offsetMs = 0;

  private constructor(link: RedisLink, base: Clock) {
    this.#link = link;
    this.#base = base;
    // Where Redis does not answer, the time goes on as it was.
    this.#rounds = new Rounds(() => this.#ask(MOST_TAKEN_MS).catch(() => {}), ASKED_EVERY_MS, base);
  }

  /** @throws ReachError STORE_UNAVAILABLE */
  static async open(link: RedisLink, base = systemClock): Promise<RedisClock> {
    const clock = new RedisClock(link, base);
    await clock.#ask(Number.POSITIVE_INFINITY);
    clock.#rounds.beginLater();
    return clock;
  }

  now(): number {
    return Math.round(this.#base.monotonic() + this.#offsetMs);
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.#base.after(delayMs, callback);
  }

  /** No more is asked; the time goes on. */
  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #ask(mostTakenMs: number): Promise<void> {
    const began = this.#base.monotonic();
    const [seconds = 0, micros = 0] = (await this.#link.ask((client) => client.time())).map(Number);
    const ended = this.#base.monotonic();
    if (ended - began > mostTakenMs) return;
    this.#offsetMs = seconds * 1_000 + micros / 1_000 - (began + ended) / 2;
  }
}
