import type { Delivery, OutboxMessage } from './message.js';

/** A message that was taken from the store to be sent, and the attempts before. */
export type TakenMessage = OutboxMessage & Pick<Delivery, 'attempts' | 'lastError'>;

/** What may wait, of one team. */
export interface OutboxLimits {
  readonly messages: number;
  /** Characters of all bodies. */
  readonly chars: number;
}

/** How an attempt ended. */
export interface AttemptResult extends Delivery {
  /** When it is tried again, in ms since the epoch; undefined where it has ended. */
  readonly nextAtMs: number | undefined;
}

/** Where messages wait. A port; `storage/` implements it. What was added or settled is durable when its promise resolves. */
export interface OutboxStore {
  /** Keeps a message, due at once; one of an id that is there already changes nothing. */
  add(
    team: string,
    message: OutboxMessage,
    nowMs: number,
    limits: OutboxLimits,
  ): Promise<'added' | 'known' | 'full'>;
  /**
   * Hands over the message that has been due for longest, but none to a host of `without`, and makes it due again at
   * `untilMs`, should nobody tell until then how it went.
   */
  take(
    team: string,
    nowMs: number,
    untilMs: number,
    without: readonly string[],
  ): Promise<TakenMessage | undefined>;
  /** How the attempt after `attempts` others went; false where another one was told already. */
  settle(
    team: string,
    messageId: string,
    attempts: number,
    result: AttemptResult,
    nowMs: number,
  ): Promise<boolean>;
  /** When the next message is due, but for those to a host of `without`. */
  nextDueAt(team: string, without: readonly string[]): Promise<number | undefined>;
  find(team: string, messageId: string): Promise<Delivery | undefined>;
  /** How many wait. */
  waiting(team: string): Promise<number>;
  /** Forgets what ended before. */
  prune(team: string, endedBeforeMs: number): Promise<void>;
}
