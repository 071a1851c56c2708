import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { DecisionRecord } from '../record/decision-record.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import { SingleFlight } from '../single-flight.js';
import { LIMITS } from '../wire/limits.js';
import type { Ticket } from '../wire/tickets.js';
import { distinct, labelOf, type SaidLabel } from './label.js';
import type { LabelStore } from './label-store.js';
import { askedIn, saidByAnswer, saidByOutcome, saidByTicket } from './said-labels.js';

/** A label waits so long for others, and is lost where the process is killed meanwhile. */
const GATHERED_MS = 1_000;
/** What is handed to the store at once. */
const BATCH = 100;
/** Until a store that failed is tried again. */
const RETRY_MS = 5_000;
/** What waits for a store that fails, the newest: some 40 MB at worst. */
const MOST_WAITING = 1_000;
/** The longest intent, and as much for the names of fields: more is of somebody who fills the disk. */
const MOST_CHARS = 2 * LIMITS.intentChars;

export interface LabelGathererParts {
  readonly store: LabelStore;
  readonly team: string;
  /** A decision as it is recorded. */
  readonly recorded: (routeId: string) => Promise<DecisionRecord | undefined>;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

function charsOf({ intent, payloadFields }: SaidLabel): number {
  return Object.keys(payloadFields ?? {}).reduce((sum, { length }) => sum + length, intent.length);
}

/**
 * Makes labels of what callers and people do anyway: they answer clarifies, report outcomes and resolve tickets. None of
 * these waits for a label, or fails with it.
 */
export class LabelGatherer implements DecisionObserver {
  readonly #parts: LabelGathererParts;
  /** Oldest first. */
  #waiting: SaidLabel[] = [];
  /** Since it was told last. */
  #lost = 0;
  readonly #writing = new SingleFlight<void>();
  #stopTimer: (() => void) | undefined;
  /** What was told of the last time that labels could not be kept; undefined: since then they could. */
  #fault: string | undefined;

  constructor(parts: LabelGathererParts) {
    this.#parts = parts;
  }

  decided(made: DecisionMade): void {
    this.#wait(saidByAnswer(made));
  }

  /** Of a decision whose outcome was reported. */
  reported(record: DecisionRecord, rightCapability: string): void {
    this.#wait(saidByOutcome(record, rightCapability, this.#parts.clock.now()));
  }

  resolved(ticket: Ticket): void {
    this.#wait(saidByTicket(ticket));
  }

  /** Resolves when what was said so far is kept, or the store has refused it. */
  async flush(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#writing.run(() => this.#writeAll());
  }

  /** What the store does not take now is lost. */
  async close(): Promise<void> {
    await this.flush();
    this.#stopTimer?.();
    const length = this.#waiting.length + this.#lost;
    if (length > 0) this.#parts.report(`${length} labels could not be kept before the end.`);
  }

  #wait(said: SaidLabel | undefined): void {
    if (said === undefined || charsOf(said) > MOST_CHARS) return;
    this.#waiting.push(said);
    this.#loseWhatIsTooMuch();
    this.#writeAfter(this.#fault === undefined ? GATHERED_MS : RETRY_MS);
  }

  #loseWhatIsTooMuch(): void {
    const { length } = this.#waiting.splice(0, Math.max(0, this.#waiting.length - MOST_WAITING));
    this.#lost += length;
  }

  #writeAfter(delayMs: number): void {
    this.#stopTimer ??= this.#parts.clock.after(delayMs, () => void this.flush());
  }

  /** Until none waits, or the store refuses. Never rejects. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        this.#tell(await this.#write(batch));
      } catch (thrown) {
        this.#waiting = [...batch, ...this.#waiting];
        this.#loseWhatIsTooMuch();
        this.#tell(asReachError(thrown).message);
        this.#writeAfter(RETRY_MS);
        return;
      }
    }
  }

  /** Why a batch was not kept and need not be tried again; undefined where it was. */
  async #write(batch: readonly SaidLabel[]): Promise<string | undefined> {
    const { store, team } = this.#parts;
    const said = await Promise.all(batch.map((each) => this.#whole(each)));
    const kept = await store.add(team, distinct(said.map(labelOf)));
    return kept === 'full' ? 'people have written as many as there is room for.' : undefined;
  }

  /** A ticket has no more of an intent than a person reads: the record has all of it, while it is kept. */
  async #whole(said: SaidLabel): Promise<SaidLabel> {
    if (said.source !== 'ticket' || said.routeId === null) return said;
    const record = await this.#parts.recorded(said.routeId).catch(() => undefined);
    return { ...said, ...(record && askedIn(record)) };
  }

  #tell(fault: string | undefined): void {
    const { report } = this.#parts;
    if (fault !== undefined && this.#fault === undefined) report(`Labels cannot be kept: ${fault}`);
    this.#fault = fault;
    if (fault !== undefined || this.#lost === 0) return;
    report(`${this.#lost} labels are lost: more came than could wait for the store.`);
    this.#lost = 0;
  }
}
