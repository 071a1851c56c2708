import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import { LruMap } from '../lru-map.js';

/** Keys that are counted at once; the one that came longest ago is forgotten. */
const MOST_KEYS = 10_000;

/** Counts what happens again within a while. */
export class RecentCounts {
  readonly #clock: Clock;
  readonly #enough: number;
  readonly #withinMs: number;
  /** The last times of each key, at most `enough`, oldest first. By a hash: keys hold what callers write, at any length. */
  readonly #times = new LruMap<string, readonly number[]>(MOST_KEYS);

  /** `enough` times within `withinMs` are told. */
  constructor(clock: Clock, enough: number, withinMs: number) {
    this.#clock = clock;
    this.#enough = enough;
    this.#withinMs = withinMs;
  }

  /** It has happened now. True where that makes it enough. */
  add(key: string): boolean {
    const now = this.#clock.monotonic();
    const hash = createHash('sha256').update(key).digest('base64');
    const recent = (this.#times.get(hash) ?? []).filter((at) => now - at < this.#withinMs);
    const times = [...recent, now].slice(-this.#enough);
    this.#times.set(hash, times);
    return times.length === this.#enough;
  }
}
