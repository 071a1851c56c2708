import { type Delivery, hostOf, type OutboxMessage } from '../../outbox/message.js';
import type { AttemptResult, OutboxLimits, OutboxStore, TakenMessage } from '../../outbox/outbox-store.js';
import { jsonFrom } from './marked-json.js';
import { ADD, FIND, NEXT_DUE, OUTBOX_KEYS, PRUNE, SETTLE, SLICE, TAKE } from './outbox-lua.js';
import type { RedisLink } from './redis-link.js';

const FRESH: Delivery = { state: 'waiting', attempts: 0, lastError: null };

/** Messages in a Redis. */
export class RedisOutboxStore implements OutboxStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async add(team: string, message: OutboxMessage, nowMs: number, limits: OutboxLimits) {
    const { messageId, body } = message;
    const added = await this.#link.run(ADD, this.#keys(team), [
      messageId,
      JSON.stringify(message),
      JSON.stringify(FRESH),
      wide(nowMs),
      body.length,
      hostOf(message),
      limits.messages,
      limits.chars,
    ]);
    return added as 'added' | 'known' | 'full';
  }

  async take(
    team: string,
    nowMs: number,
    untilMs: number,
    without: readonly string[],
  ): Promise<TakenMessage | undefined> {
    const taken = await this.#link.run(TAKE, this.#keys(team), [nowMs, wide(untilMs), ...without]);
    if (taken === null) return undefined;
    const [message, delivery] = taken as [string, string];
    const { attempts, lastError } = deliveryIn(delivery);
    return { ...jsonFrom<OutboxMessage>(message, 'a message'), attempts, lastError };
  }

  async settle(
    team: string,
    messageId: string,
    attempts: number,
    { nextAtMs, ...delivery }: AttemptResult,
    nowMs: number,
  ): Promise<boolean> {
    const settled = await this.#link.run(SETTLE, this.#keys(team), [
      messageId,
      attempts,
      JSON.stringify(delivery),
      delivery.attempts,
      nextAtMs === undefined ? '' : wide(nextAtMs),
      nowMs,
    ]);
    return settled === 1;
  }

  async nextDueAt(team: string, without: readonly string[]): Promise<number | undefined> {
    return ((await this.#link.run(NEXT_DUE, this.#keys(team), without)) as number | null) ?? undefined;
  }

  async find(team: string, messageId: string): Promise<Delivery | undefined> {
    const delivery = await this.#link.run(FIND, this.#keys(team), [messageId]);
    return delivery === null ? undefined : deliveryIn(delivery as string);
  }

  async waiting(team: string): Promise<number> {
    const [, standings = ''] = this.#keys(team);
    return this.#link.ask((client) => client.hlen(standings), [standings]);
  }

  async prune(team: string, endedBeforeMs: number): Promise<void> {
    while ((await this.#link.run(PRUNE, this.#keys(team), [endedBeforeMs])) === SLICE);
  }

  #keys(team: string): string[] {
    return OUTBOX_KEYS.map((part) => this.#link.key(team, 'outbox', part));
  }
}

function deliveryIn(text: string): Delivery {
  return jsonFrom(text, 'the delivery of a message');
}

/** Times of which the earlier has the smaller text. */
function wide(timeMs: number): string {
  return String(Math.round(timeMs)).padStart(16, '0');
}
