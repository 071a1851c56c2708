import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import { SingleFlight } from '../single-flight.js';
import { type DecisionRecord, recordOf } from './decision-record.js';
import type { OutcomeRecord, RecordStore } from './record-store.js';
import type { ShadowVerdict } from './shadow-verdict.js';

/** A row waits so long for others, and is lost where the process is killed meanwhile. */
const GATHERED_MS = 200;
/** What is handed to the store at once: about a millisecond of work on this thread. */
const BATCH_ROWS = 100;
const BATCH_CHARS = 65_536;
/** Until a store that failed is tried again. */
const RETRY_MS = 1_000;

/** What waits for the store: some 50 MB at worst. */
const MOST_WAITING = 10_000;
const MOST_CHARS = 16_000_000;

export interface DecisionRecorderParts {
  readonly store: RecordStore;
  readonly team: string;
  /** The store's. */
  readonly salt: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** A candidate takes about as much memory, and time, as so many characters. */
const CANDIDATE_CHARS = 100;

function charsOf({ intent, payloadFields, candidates }: DecisionRecord): number {
  const told = (intent?.length ?? 0) + candidates.length * CANDIDATE_CHARS;
  return Object.keys(payloadFields).reduce((sum, name) => sum + name.length, told);
}

/**
 * Keeps every decision, in batches behind the answers. Nobody waits for the store: where it cannot keep up, or
 * fails, the oldest rows that are not written yet are lost, and counted.
 */
export class DecisionRecorder implements DecisionObserver {
  readonly #parts: DecisionRecorderParts;
  /** Oldest first. */
  #waiting = new Map<string, DecisionRecord>();
  #chars = 0;
  /** The batch that the store has now. */
  #written = new Map<string, DecisionRecord>();
  readonly #writing = new SingleFlight<void>();
  #stopTimer: (() => void) | undefined;
  #lost = 0;
  /** Whether rows were lost since all were written the last time. */
  #isBehind = false;
  #fault: string | undefined;

  constructor(parts: DecisionRecorderParts) {
    this.#parts = parts;
  }

  decided(made: DecisionMade): void {
    this.#wait(recordOf(made, this.#parts.salt));
    this.#writeAfter(this.#fault === undefined ? GATHERED_MS : RETRY_MS);
  }

  /** @throws ReachError STORE_UNAVAILABLE */
  async find(routeId: string): Promise<DecisionRecord | undefined> {
    const { store, team } = this.#parts;
    return this.#waiting.get(routeId) ?? this.#written.get(routeId) ?? (await store.find(team, routeId));
  }

  /**
   * Keeps an outcome with its decision; false where it has one already.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async keepOutcome(routeId: string, outcome: OutcomeRecord): Promise<boolean> {
    const { store, team } = this.#parts;
    const kept = await this.#keepWithWaiting(routeId, 'reported', outcome);
    return kept ?? store.report(team, routeId, outcome);
  }

  /**
   * Keeps what another set of weights would have decided with its decision; false where it has that already, or is lost.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async keepShadow(routeId: string, shadow: ShadowVerdict): Promise<boolean> {
    const { store, team } = this.#parts;
    const kept = await this.#keepWithWaiting(routeId, 'shadow', shadow);
    return kept ?? store.keepShadow(team, routeId, shadow);
  }

  /** Resolves when what has been decided so far is written, or the store has refused it. */
  async flush(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#writing.run(() => this.#writeAll());
  }

  status() {
    const lost = this.#lost;
    const waiting = this.#waiting.size + this.#written.size;
    const losses = `${lost} decisions were lost, ${waiting} wait to be written.`;
    const state: 'ok' | 'degraded' = this.#fault === undefined && !this.#isBehind ? 'ok' : 'degraded';
    return { state, detail: this.#fault === undefined ? losses : `${this.#fault} ${losses}`, waiting, lost };
  }

  /** What the store does not take now is lost. */
  async close(): Promise<void> {
    await this.flush();
    this.#stopTimer?.();
    const { size } = this.#waiting;
    if (size > 0) this.#parts.report(`${size} decisions could not be recorded before the end.`);
  }

  /** Whether a decision that is not written yet took what came after it; undefined where none of this id waits. */
  async #keepWithWaiting<Later extends 'reported' | 'shadow'>(
    routeId: string,
    later: Later,
    value: DecisionRecord[Later],
  ): Promise<boolean | undefined> {
    while (this.#written.has(routeId)) await this.#writing.underWay;
    const record = this.#waiting.get(routeId);
    if (record === undefined) return undefined;
    if (record[later] !== null) return false;
    this.#waiting.set(routeId, { ...record, [later]: value });
    return true;
  }

  #wait(record: DecisionRecord): void {
    this.#waiting.set(record.routeId, record);
    this.#chars += charsOf(record);
    if (this.#hasTooMuch) this.#loseWhatIsTooMuch();
  }

  get #hasTooMuch(): boolean {
    return this.#waiting.size > MOST_WAITING || this.#chars > MOST_CHARS;
  }

  #loseWhatIsTooMuch(): void {
    for (const [routeId, record] of this.#waiting) {
      if (!this.#hasTooMuch) return;
      this.#waiting.delete(routeId);
      this.#chars -= charsOf(record);
      this.#lost += 1;
      this.#isBehind = true;
    }
  }

  #writeAfter(delayMs: number): void {
    this.#stopTimer ??= this.#parts.clock.after(delayMs, () => void this.flush());
  }

  /** Until none waits, or the store refuses. Never rejects. */
  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.size > 0) await this.#writeBatch();
      this.#isBehind = false;
    } catch (thrown) {
      const { message } = asReachError(thrown);
      if (this.#fault === undefined) this.#parts.report(`Decisions cannot be recorded: ${message}`);
      this.#fault = message;
      this.#writeAfter(RETRY_MS);
    }
  }

  async #writeBatch(): Promise<void> {
    const { store, team } = this.#parts;
    let chars = 0;
    for (const [routeId, record] of this.#waiting) {
      if (this.#written.size === BATCH_ROWS || chars >= BATCH_CHARS) break;
      this.#written.set(routeId, record);
      this.#waiting.delete(routeId);
      chars += charsOf(record);
    }
    this.#chars -= chars;
    try {
      await store.append(team, [...this.#written.values()]);
      this.#fault = undefined;
    } catch (thrown) {
      this.#waiting = new Map([...this.#written, ...this.#waiting]);
      for (const record of this.#written.values()) this.#chars += charsOf(record);
      this.#loseWhatIsTooMuch();
      throw thrown;
    } finally {
      this.#written = new Map();
    }
  }
}
