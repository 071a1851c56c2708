import type { Clock } from '../clock.js';
import type { EventLog } from './event-log.js';

/** How long what agents told is kept after the end, in ms. */
const KEPT_MS = 60_000;
/** Of all requests together, in characters. */
const MOST_CHARS = 67_108_864;

interface Kept {
  readonly log: EventLog;
  readonly forget: () => void;
}

/** The logs of requests that have ended a moment ago and have told more than their states and answer. */
export class EndedLogs {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #logs = new Map<string, Kept>();
  #chars = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(requestId: string, log: EventLog): void {
    if (log.chars === 0) return;
    const forget = this.#clock.after(KEPT_MS, () => this.#remove(requestId));
    this.#logs.set(requestId, { log, forget });
    this.#chars += log.chars;
    for (const oldest of this.#logs.keys()) {
      if (this.#chars <= MOST_CHARS) break;
      this.#remove(oldest);
    }
  }

  get(requestId: string): EventLog | undefined {
    return this.#logs.get(requestId)?.log;
  }

  #remove(requestId: string): void {
    const kept = this.#logs.get(requestId);
    if (kept === undefined) return;
    this.#logs.delete(requestId);
    this.#chars -= kept.log.chars;
    kept.forget();
  }
}
