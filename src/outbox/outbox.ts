import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import { checkAllowedHost } from '../net/allowed-hosts.js';
import type { HttpClient } from '../net/http-client.js';
import { ATTEMPT_TIMEOUT_MS, type AttemptOutcome, attempt } from './attempt.js';
import { type Delivery, hostOf, type OutboxMessage } from './message.js';
import type { AttemptResult, OutboxLimits, OutboxStore, TakenMessage } from './outbox-store.js';

/** Before the second attempt, the third and so on; after the last of them it is given up. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000] as const;
/** By which share a delay is made shorter or longer, so that what failed together does not come together. */
const JITTER = 0.1;

const LIMITS: OutboxLimits = { messages: 10_000, chars: 256_000_000 };
const MOST_AT_ONCE = 64;
/** Sent to one host at once: one that hangs leaves room for others. */
const MOST_TO_A_HOST = 8;
/** A message that was taken and never settled, as by a crash, is due again after this. */
const TAKEN_FOR_MS = 3 * ATTEMPT_TIMEOUT_MS;
/** The clock may jump, and another process may add: no wait is longer. */
const LOOKED_EVERY_MS = 60_000;
/** Until a store that failed is asked again. */
const ASKED_AGAIN_MS = 2_000;
/** How long it can be asked what became of a message. */
const ENDED_KEPT_MS = 24 * 3_600_000;

export interface OutboxParts {
  readonly store: OutboxStore;
  readonly team: string;
  readonly http: Pick<HttpClient, 'request'>;
  readonly allowedHosts: readonly string[];
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
  /** From 0 to 1; chooses jitter. */
  readonly random?: () => number;
}

/**
 * Tells what others asked to be told: kept until the receiver has taken it or it is given up, through restarts. Each
 * message is sent at least once; what comes twice has the same `webhook-id`.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #random: () => number;
  readonly #sending = new Map<string, Promise<void>>();
  readonly #toHost = new Map<string, number>();
  readonly #closing = new AbortController();
  #stopTimer: () => void = () => {};
  #rounds: Promise<void> = Promise.resolve();
  #isLooking = false;
  #lookWanted = false;
  #isOpen = false;
  #waiting = 0;
  #fault: string | undefined;
  /** What was wrong with us at an attempt, as the log was told last. */
  #toldFault: string | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#random = parts.random ?? Math.random;
  }

  /** Whether something may be sent to this address. @throws ReachError ADDRESS_FORBIDDEN */
  check(url: string): void {
    checkAllowedHost(url, this.#parts.allowedHosts);
  }

  /**
   * Keeps a message and sends it soon; one of an id that came before is the same. It is durable when this resolves.
   * @throws ReachError OVERLOADED where too much waits, STORE_UNAVAILABLE
   */
  async send(message: OutboxMessage): Promise<void> {
    const { store, team, clock } = this.#parts;
    const added = await store.add(team, message, clock.now(), LIMITS);
    if (added === 'full') {
      throw new ReachError('OVERLOADED', `No more than ${LIMITS.messages} messages wait to be sent.`);
    }
    this.#look();
  }

  /** How far a message is; undefined: it never came, or ended more than a day ago. */
  find(messageId: string): Promise<Delivery | undefined> {
    return this.#parts.store.find(this.#parts.team, messageId);
  }

  /** From now on messages are sent, those first that were left from before. */
  start(): void {
    this.#isOpen = true;
    this.#look();
  }

  status(): { readonly state: 'ok' | 'degraded'; readonly detail: string; readonly waiting: number } {
    const detail = this.#fault ?? `${this.#waiting} messages wait to be sent.`;
    return { state: this.#fault === undefined ? 'ok' : 'degraded', detail, waiting: this.#waiting };
  }

  /** Nothing more is begun, and the attempts under way are ended. What waits goes on after a start. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#stopTimer();
    this.#closing.abort();
    await this.#rounds;
    await Promise.all(this.#sending.values());
  }

  /** One look at a time; what is asked for meanwhile is done by one more behind it. */
  #look(): void {
    if (!this.#isOpen) return;
    this.#lookWanted = true;
    if (!this.#isLooking) this.#rounds = this.#lookWhileWanted();
  }

  async #lookWhileWanted(): Promise<void> {
    this.#isLooking = true;
    while (this.#lookWanted && this.#isOpen) {
      this.#lookWanted = false;
      this.#stopTimer();
      const delayMs = await this.#lookOnce().catch((thrown: unknown) => {
        const { message } = asReachError(thrown);
        if (this.#fault === undefined) this.#parts.report(`Messages cannot be sent: ${message}`);
        this.#fault = message;
        return ASKED_AGAIN_MS;
      });
      if (this.#isOpen) this.#stopTimer = this.#parts.clock.after(delayMs, () => this.#look());
    }
    // In the turn that found nothing wanted: whoever asks for a look from here on begins one.
    this.#isLooking = false;
  }

  /** Begins what is due; gives how long it is to the next look. */
  async #lookOnce(): Promise<number> {
    const { store, team, clock } = this.#parts;
    while (this.#isOpen && this.#sending.size < MOST_AT_ONCE) {
      const now = clock.now();
      const message = await store.take(team, now, now + TAKEN_FOR_MS, this.#busyHosts());
      if (message === undefined) break;
      this.#begin(message);
    }
    await store.prune(team, clock.now() - ENDED_KEPT_MS);
    this.#waiting = await store.waiting(team);
    this.#fault = undefined;
    // Where all places are taken, the end of an attempt has it looked again.
    const dueAt =
      this.#sending.size < MOST_AT_ONCE ? await store.nextDueAt(team, this.#busyHosts()) : undefined;
    return Math.min(LOOKED_EVERY_MS, Math.max(0, (dueAt ?? Number.POSITIVE_INFINITY) - clock.now()));
  }

  #begin(message: TakenMessage): void {
    const host = hostOf(message);
    this.#toHost.set(host, (this.#toHost.get(host) ?? 0) + 1);
    const sending = this.#send(message)
      .catch((thrown: unknown) =>
        // It is due again by itself.
        this.#parts.report(`What became of a message cannot be kept: ${asReachError(thrown).message}`),
      )
      .finally(() => {
        this.#sending.delete(message.messageId);
        const others = (this.#toHost.get(host) ?? 1) - 1;
        if (others > 0) this.#toHost.set(host, others);
        else this.#toHost.delete(host);
        this.#look();
      });
    this.#sending.set(message.messageId, sending);
  }

  async #send(message: TakenMessage): Promise<void> {
    const { store, team, clock, report } = this.#parts;
    const { messageId, attempts } = message;
    const outcome = await attempt(message, { ...this.#parts, signal: this.#closing.signal });
    this.#tellFault(outcome);
    const result = this.#resultOf(outcome, message);
    await store.settle(team, messageId, attempts, result, clock.now());
    if (result.state !== 'given_up') return;
    report(
      `A message to ${hostOf(message)} is given up after ${result.attempts} attempts: ${result.lastError}.`,
    );
  }

  /** Once for all messages that fail by it. */
  #tellFault(outcome: AttemptOutcome): void {
    if (outcome.kind === 'taken') this.#toldFault = undefined;
    if (outcome.kind !== 'failed' || outcome.fault === undefined || outcome.fault === this.#toldFault) return;
    this.#toldFault = outcome.fault;
    this.#parts.report(`A message cannot be sent: ${outcome.fault}`);
  }

  #resultOf(
    outcome: AttemptOutcome,
    { attempts: before, lastError: errorBefore }: TakenMessage,
  ): AttemptResult {
    if (outcome.kind === 'interrupted') {
      const nextAtMs = this.#parts.clock.now();
      return { state: 'waiting', attempts: before, lastError: errorBefore, nextAtMs };
    }
    const attempts = before + 1;
    const ended = { attempts, nextAtMs: undefined };
    if (outcome.kind === 'taken') return { ...ended, state: 'taken', lastError: null };
    const lastError = outcome.why;
    const delayMs = RETRY_DELAYS_MS[before];
    if (outcome.kind === 'gone' || delayMs === undefined) return { ...ended, state: 'given_up', lastError };
    const jittered = delayMs * (1 + JITTER * (2 * this.#random() - 1));
    return { state: 'waiting', attempts, lastError, nextAtMs: this.#parts.clock.now() + jittered };
  }

  #busyHosts(): string[] {
    return [...this.#toHost].filter(([, count]) => count >= MOST_TO_A_HOST).map(([host]) => host);
  }
}
