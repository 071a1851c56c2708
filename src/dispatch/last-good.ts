import type { Clock } from '../clock.js';

const MOST_RESULTS = 1_000;
const MOST_BYTES = 64 * 1_048_576;

interface Kept {
  readonly json: string;
  readonly at: number;
}

/** Of a text in memory. */
const bytesOf = ({ json }: Kept) => json.length * 2;

/** The last results of capabilities, for when there are none to be had. In memory; the oldest go first. */
export class LastGood {
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(key: string, result: unknown): void {
    this.#forget(key);
    const kept = { json: JSON.stringify(result), at: this.#clock.monotonic() };
    this.#kept.set(key, kept);
    this.#bytes += bytesOf(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_RESULTS && this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
  }

  /** Undefined where there is none that is young enough. */
  find(key: string, maxAgeMs: number): { readonly result: unknown } | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || this.#clock.monotonic() - kept.at > maxAgeMs) return undefined;
    return { result: JSON.parse(kept.json) };
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(kept);
  }
}
