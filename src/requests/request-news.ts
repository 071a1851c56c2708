import type { Clock } from '../clock.js';
import { NOBODY_ELSE } from '../cluster/message-bus.js';
import { ReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';
import { Rounds } from '../rounds.js';
import type { BookListener } from './book-listener.js';
import type { LiveRequest } from './live-request.js';
import { isPeerMessage, type PeerMessage, TOPIC } from './peer-messages.js';
import type { RequestBook } from './request-book.js';
import type { RequestsCluster } from './requests-cluster.js';

/** Who is interested in a request that is carried out elsewhere says so as often as this, in ms. */
const WANTED_EVERY_MS = 2_000;
/** Who has not said so for so long is not any more, in ms. */
const WANTED_FOR_MS = 3 * WANTED_EVERY_MS;
/** Requests that are known to be wanted, those that were asked for last. */
const MOST_WANTED = 10_000;
/** Copies that are compared with the store at a time. */
const AT_ONCE = 50;

/** A request that is carried out here, and told to those elsewhere who want to hear of it. */
interface Telling {
  readonly live: LiveRequest;
  readonly unfollow: () => void;
  /** Of the last event that was sent. */
  lastId: number;
}

export interface RequestNewsParts {
  readonly book: RequestBook;
  readonly cluster: RequestsCluster;
  readonly team: string;
  readonly clock: Clock;
}

/**
 * What happens to requests, told between the replica that carries one out and those where somebody follows it or waits
 * for it. Messages are what is fast: what one of them has missed it asks for again, and its end stands in the store.
 */
export class RequestNews implements BookListener {
  readonly #parts: RequestNewsParts;
  readonly #rounds: Rounds;
  /** Until when somebody elsewhere wants to hear of a request, by the monotonic clock. */
  readonly #wanted = new LruMap<string, number>(MOST_WANTED);
  readonly #telling = new Map<string, Telling>();
  #stopListening: (() => void)[] = [];

  constructor(parts: RequestNewsParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(() => this.#round(), WANTED_EVERY_MS, parts.clock);
  }

  start(): void {
    const { book, cluster, team } = this.#parts;
    // Where there is nobody else, nothing is carried out elsewhere.
    if (cluster.bus === NOBODY_ELSE) return;
    book.listen(this);
    this.#stopListening = [
      cluster.bus.listen(team, TOPIC, (message) => {
        if (isPeerMessage(message)) this.#hear(message);
      }),
      cluster.bus.onGap(() => void this.#compareCopies()),
    ];
    this.#rounds.beginLater();
  }

  copied(live: LiveRequest): void {
    this.#want(live);
  }

  begun(live: LiveRequest): void {
    if (this.#isWanted(live.requestId)) this.#tell(live, 0);
  }

  refused({ requestId }: LiveRequest, { code, message, retryAfterMs }: ReachError): void {
    this.#stopTelling(requestId);
    if (this.#isWanted(requestId))
      this.#send({ kind: 'refused', requestId, error: { code, message, retryAfterMs } });
  }

  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    for (const requestId of [...this.#telling.keys()]) this.#stopTelling(requestId);
    await this.#rounds.close();
  }

  #hear(message: PeerMessage): void {
    const { book, clock } = this.#parts;
    switch (message.kind) {
      case 'want': {
        this.#wanted.set(message.requestId, clock.monotonic() + WANTED_FOR_MS);
        const live = book.inMemory(message.requestId);
        if (live?.isRunning && live.isOurs)
          this.#tell(live, message.owner === live.owner ? message.lastId : 0);
        return;
      }
      case 'events': {
        const live = this.#copy(message.requestId);
        if (live === undefined) return;
        if (live.owner !== message.owner) void this.#changeOwner(live, message.owner);
        else if (message.after > live.log.lastId) this.#want(live);
        else live.hear(message.events);
        return;
      }
      case 'ended': {
        const live = this.#copy(message.requestId);
        if (live !== undefined) void this.#compare(live);
        return;
      }
      case 'refused': {
        const live = this.#copy(message.requestId);
        const { code, message: detail, retryAfterMs } = message.error;
        const options = retryAfterMs === undefined ? {} : { retryAfterMs };
        if (live !== undefined) book.forget(live, new ReachError(code, detail, options));
        return;
      }
    }
  }

  /** One that is here and carried out elsewhere, or by nobody yet. */
  #copy(requestId: string): LiveRequest | undefined {
    const live = this.#parts.book.inMemory(requestId);
    return live === undefined || live.isRunning || live.isOver ? undefined : live;
  }

  #isWanted(requestId: string): boolean {
    return (this.#wanted.get(requestId) ?? 0) > this.#parts.clock.monotonic();
  }

  #want({ requestId, owner, log }: LiveRequest): void {
    this.#send({ kind: 'want', requestId, owner: owner ?? null, lastId: log.lastId });
  }

  /** Tells what comes behind an event, now and until nobody wants to hear of it any more. */
  #tell(live: LiveRequest, lastId: number): void {
    const { requestId } = live;
    const before = this.#telling.get(requestId);
    if (before?.live === live) {
      before.lastId = Math.min(before.lastId, lastId);
    } else {
      before?.unfollow();
      const unfollow = live.log.follow(() => this.#tellMore(requestId));
      this.#telling.set(requestId, { live, unfollow, lastId });
    }
    this.#tellMore(requestId);
  }

  #tellMore(requestId: string): void {
    const telling = this.#telling.get(requestId);
    if (telling === undefined) return;
    const { live, lastId: after } = telling;
    const events = live.log.openAfter(after);
    const last = events.at(-1);
    if (last !== undefined && live.owner !== undefined) {
      telling.lastId = last.id;
      this.#send({ kind: 'events', requestId, owner: live.owner, after, events });
    }
    if (live.log.isOver) this.#send({ kind: 'ended', requestId });
    if (live.log.isOver || !this.#isWanted(requestId)) this.#stopTelling(requestId);
  }

  #stopTelling(requestId: string): void {
    this.#telling.get(requestId)?.unfollow();
    this.#telling.delete(requestId);
  }

  async #round(): Promise<void> {
    for (const { live } of this.#telling.values())
      if (!this.#isWanted(live.requestId)) this.#stopTelling(live.requestId);
    await this.#compareCopies();
  }

  /** Never rejects. What may have been missed is asked for, and looked up. */
  async #compareCopies(): Promise<void> {
    const copies = [...this.#parts.book.live()].filter(
      (live) => live.isKept && !live.isRunning && !live.isOver,
    );
    for (let from = 0; from < copies.length && !this.#rounds.isClosed; from += AT_ONCE)
      await Promise.all(
        copies.slice(from, from + AT_ONCE).map(async (live) => {
          await this.#compare(live);
          if (!live.isOver) this.#want(live);
        }),
      );
  }

  /** Never rejects. One that tells though another has taken the request over is not listened to. */
  async #changeOwner(live: LiveRequest, owner: string): Promise<void> {
    await this.#compare(live);
    if (live.owner === owner && !live.isOver) this.#want(live);
  }

  /** Never rejects: a store that is away is asked again. */
  async #compare(live: LiveRequest): Promise<void> {
    try {
      if (this.#parts.book.inMemory(live.requestId) === live) await this.#parts.book.refresh(live);
    } catch {
      // The next round asks again.
    }
  }

  #send(message: PeerMessage): void {
    this.#parts.cluster.bus.send(this.#parts.team, TOPIC, message);
  }
}
