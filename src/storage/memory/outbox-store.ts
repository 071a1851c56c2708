import { type Delivery, hostOf, type OutboxMessage } from '../../outbox/message.js';
import type { AttemptResult, OutboxLimits, OutboxStore, TakenMessage } from '../../outbox/outbox-store.js';

/** Ended messages whose end can be asked for. */
const KEPT_ENDED = 100_000;

interface Waiting {
  readonly message: OutboxMessage;
  readonly host: string;
  readonly delivery: Delivery;
  readonly dueAtMs: number;
}

interface Ended {
  readonly delivery: Delivery;
  readonly endedAtMs: number;
}

interface Messages {
  /** In the order in which they came. */
  readonly waiting: Map<string, Waiting>;
  /** In the order in which they ended. */
  readonly ended: Map<string, Ended>;
  /** Of the bodies that wait. */
  chars: number;
}

const FRESH: Delivery = { state: 'waiting', attempts: 0, lastError: null };

/** Messages for as long as the process lives. */
export class MemoryOutboxStore implements OutboxStore {
  readonly #teams = new Map<string, Messages>();

  async add(team: string, message: OutboxMessage, nowMs: number, limits: OutboxLimits) {
    const messages = this.#messages(team);
    const { waiting, ended } = messages;
    if (waiting.has(message.messageId) || ended.has(message.messageId)) return 'known';
    if (waiting.size >= limits.messages || messages.chars + message.body.length > limits.chars) return 'full';
    waiting.set(message.messageId, { message, host: hostOf(message), delivery: FRESH, dueAtMs: nowMs });
    messages.chars += message.body.length;
    return 'added';
  }

  async take(
    team: string,
    nowMs: number,
    untilMs: number,
    without: readonly string[],
  ): Promise<TakenMessage | undefined> {
    const next = this.#next(team, without);
    if (next === undefined || next.dueAtMs > nowMs) return undefined;
    const { message, delivery } = next;
    this.#messages(team).waiting.set(message.messageId, { ...next, dueAtMs: untilMs });
    const { attempts, lastError } = delivery;
    return { ...message, attempts, lastError };
  }

  async settle(
    team: string,
    messageId: string,
    attempts: number,
    { nextAtMs, ...delivery }: AttemptResult,
    nowMs: number,
  ): Promise<boolean> {
    const messages = this.#messages(team);
    const { waiting, ended } = messages;
    const known = waiting.get(messageId);
    if (known?.delivery.attempts !== attempts) return false;
    if (nextAtMs !== undefined) {
      waiting.set(messageId, { ...known, delivery, dueAtMs: nextAtMs });
      return true;
    }
    waiting.delete(messageId);
    messages.chars -= known.message.body.length;
    ended.set(messageId, { delivery, endedAtMs: nowMs });
    const [oldest] = ended.keys();
    if (ended.size > KEPT_ENDED && oldest !== undefined) ended.delete(oldest);
    return true;
  }

  async nextDueAt(team: string, without: readonly string[]): Promise<number | undefined> {
    return this.#next(team, without)?.dueAtMs;
  }

  async find(team: string, messageId: string): Promise<Delivery | undefined> {
    const { waiting, ended } = this.#messages(team);
    return (waiting.get(messageId) ?? ended.get(messageId))?.delivery;
  }

  async waiting(team: string): Promise<number> {
    return this.#messages(team).waiting.size;
  }

  async prune(team: string, endedBeforeMs: number): Promise<void> {
    const { ended } = this.#messages(team);
    for (const [messageId, { endedAtMs }] of ended) {
      if (endedAtMs >= endedBeforeMs) return;
      ended.delete(messageId);
    }
  }

  #next(team: string, without: readonly string[]): Waiting | undefined {
    let next: Waiting | undefined;
    for (const each of this.#messages(team).waiting.values()) {
      if (without.includes(each.host)) continue;
      if (next === undefined || each.dueAtMs < next.dueAtMs) next = each;
    }
    return next;
  }

  #messages(team: string): Messages {
    let messages = this.#teams.get(team);
    if (messages === undefined) {
      messages = { waiting: new Map(), ended: new Map(), chars: 0 };
      this.#teams.set(team, messages);
    }
    return messages;
  }
}
