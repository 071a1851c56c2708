import type { MessageBus } from '../../cluster/message-bus.js';
import { LruMap } from '../../lru-map.js';
import { envelopeText, readEnvelope } from './bus-envelope.js';
import type { RedisClient } from './redis-client.js';
import type { RedisLink } from './redis-link.js';

/** So long messages are gathered, in ms. */
const GATHERED_MS = 10;
/** An envelope is sent before it is longer, in characters: none holds Redis or a reader for long. */
const ENVELOPE_CHARS = 262_144;
/** What is gathered or on its way, in characters; more is dropped. */
const MOST_CHARS = 16_777_216;
/** Of how many senders and channels the last number is remembered. */
const SENDERS = 4_096;
/** What we say ourselves comes back: where it does not for so long, in ms, nothing does. */
const DEAF_AFTER_MS = 5_000;

type Take = (message: unknown, from: string) => void;

/** What is to be told on one channel. */
interface Outbound {
  texts: string[];
  chars: number;
  /** Of the last envelope. */
  number: number;
}

/**
 * Pub/sub of Redis between replicas. What cannot be sent is dropped, and leaves a gap in the numbers of the envelopes,
 * by which the others see that they have missed something; so does a connection that was lost.
 */
export class RedisMessageBus implements MessageBus {
  readonly #link: RedisLink;
  readonly #replicaId: string;
  readonly #report: (message: string) => void;
  readonly #outbound = new Map<string, Outbound>();
  readonly #listeners = new Map<string, Set<Take>>();
  readonly #gapListeners = new Set<() => void>();
  readonly #lastNumbers = new LruMap<string, number>(SENDERS);
  readonly #sending = new Set<Promise<void>>();
  #subscriber: RedisClient | undefined;
  #chars = 0;
  #sendTimer: NodeJS.Timeout | undefined;
  #gapTimer: NodeJS.Timeout | undefined;
  /** When the first of our own envelopes was sent that has not come back; monotonic. */
  #unheardSince: number | undefined;
  #isReported = false;

  constructor(link: RedisLink, replicaId: string, report: (message: string) => void) {
    this.#link = link;
    this.#replicaId = replicaId;
    this.#report = report;
    // Redis was not there, or said nothing: what was sent meanwhile is lost.
    link.onReturn(() => this.#missed());
  }

  send(team: string, topic: string, message: unknown): void {
    const channel = this.#channel(team, topic);
    const text = textOf(message);
    if (text === undefined) {
      this.#reportOnce(`A message of the topic ${topic} is none that JSON can hold, and is not sent.`);
      return;
    }
    const outbound = this.#outbound.get(channel) ?? { texts: [], chars: 0, number: 0 };
    this.#outbound.set(channel, outbound);
    if (this.#chars + text.length > MOST_CHARS) {
      outbound.number += 1;
      return;
    }
    if (outbound.chars + text.length > ENVELOPE_CHARS) this.#publish(channel, outbound);
    outbound.texts.push(text);
    outbound.chars += text.length;
    this.#chars += text.length;
    this.#sendTimer ??= setTimeout(() => this.#sendAll(), GATHERED_MS).unref();
  }

  listen(team: string, topic: string, take: Take): () => void {
    const channel = this.#channel(team, topic);
    const known = this.#listeners.get(channel);
    if (known === undefined) {
      this.#listeners.set(channel, new Set([take]));
      // It waits for the connection, and is asked again after each.
      this.#subscribed(channel);
    } else {
      known.add(take);
    }
    return () => void this.#listeners.get(channel)?.delete(take);
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  /** What was gathered is sent first. Before the link is closed. */
  async close(): Promise<void> {
    this.#sendAll();
    await Promise.all(this.#sending);
    clearTimeout(this.#gapTimer);
    this.#listeners.clear();
    this.#gapListeners.clear();
    this.#subscriber?.disconnect();
  }

  #channel(team: string, topic: string): string {
    return this.#link.key(team, 'bus', topic);
  }

  #sendAll(): void {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    for (const [channel, outbound] of this.#outbound) this.#publish(channel, outbound);
    this.#hearOurselves();
  }

  #publish(channel: string, outbound: Outbound): void {
    const { texts, chars } = outbound;
    if (texts.length === 0) return;
    outbound.number += 1;
    outbound.texts = [];
    outbound.chars = 0;
    const envelope = envelopeText(this.#replicaId, outbound.number, texts);
    if (this.#listeners.has(channel)) this.#unheardSince ??= performance.now();
    const sent = this.#link
      .ask((client) => client.publish(channel, envelope))
      .catch(() => {
        // The link says by itself that Redis is away.
        this.#unheardSince = undefined;
      })
      .then(() => {
        this.#chars -= chars;
        this.#sending.delete(sent);
      });
    this.#sending.add(sent);
  }

  #subscribed(channel: string): void {
    this.#subscriber ??= this.#subscribe();
    this.#subscriber.subscribe(channel).catch(() => {});
  }

  #subscribe(): RedisClient {
    const subscriber = this.#link.waitingClient();
    let isBack = false;
    subscriber.on('ready', () => {
      this.#unheardSince = undefined;
      if (isBack) this.#listenAgain(subscriber);
      isBack = true;
    });
    subscriber.on('message', (channel: string, text: string) => this.#heard(channel, text));
    return subscriber;
  }

  /** What comes from then on is heard; what came while nobody listened is not. */
  #listenAgain(subscriber: RedisClient): void {
    subscriber.subscribe(...this.#listeners.keys()).then(
      () => this.#missed(),
      () => {},
    );
  }

  #heard(channel: string, text: string): void {
    const envelope = readEnvelope(text);
    if (envelope === undefined) {
      this.#reportOnce('Another program sends on the channels of the replicas; what it says is passed over.');
      return;
    }
    const { from, number, messages } = envelope;
    if (from === this.#replicaId) {
      this.#unheardSince = undefined;
      return;
    }
    const sender = `${channel}\n${from}`;
    const last = this.#lastNumbers.get(sender);
    this.#lastNumbers.set(sender, number);
    for (const message of messages) {
      for (const take of this.#listeners.get(channel) ?? []) take(message, from);
    }
    if (last !== undefined && number !== last + 1) this.#missed();
  }

  /** Several losses at once are told together. */
  #missed(): void {
    this.#gapTimer ??= setTimeout(() => {
      this.#gapTimer = undefined;
      for (const listener of this.#gapListeners) listener();
    }, GATHERED_MS).unref();
  }

  /** A connection can be lost without a word; then it is made anew. */
  #hearOurselves(): void {
    if (this.#unheardSince === undefined || performance.now() - this.#unheardSince < DEAF_AFTER_MS) return;
    this.#unheardSince = undefined;
    this.#subscriber?.disconnect(true);
  }

  #reportOnce(message: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report(message);
  }
}

function textOf(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}
