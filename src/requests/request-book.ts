import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import { EndedLogs } from './ended-logs.js';
import { EventLog } from './event-log.js';
import { type LiveContext, LiveRequest } from './live-request.js';
import { leftError } from './request-answers.js';
import type { RequestFacts } from './request-facts.js';
import { isFinal } from './request-state.js';
import type { RequestStore, StoredRequest } from './request-store.js';
import { Settled } from './settled.js';

export interface RequestBookParts {
  readonly store: RequestStore;
  readonly team: string;
  readonly clock: Clock;
  readonly node: string;
  readonly replyTo: LiveContext['replyTo'];
  /** Told of each kept request when its end is durable. */
  readonly onEnd: (request: StoredRequest) => void;
}

const NOTHING_TO_SAVE = Promise.resolve();

/** A request that is in memory, with what stands around it there. */
interface Page {
  readonly live: LiveRequest;
  readonly ended: Settled<DispatchAnswer>;
  /** How many carry it out, follow it, or wait for it. */
  holders: number;
  /** The last save, of which there is one at a time. */
  saved: Promise<unknown>;
}

/**
 * All requests that are known: in memory those that are of interest here and now, in the store those that are to
 * outlive this process.
 */
export class RequestBook {
  readonly #parts: RequestBookParts;
  readonly #context: LiveContext;
  readonly #pages = new Map<string, Page>();
  /** Until a request is kept, or found, nobody else may do the same. */
  readonly #opening = new Map<string, Promise<unknown>>();
  readonly #endedLogs: EndedLogs;
  #isLeaving = false;

  constructor(parts: RequestBookParts) {
    this.#parts = parts;
    this.#endedLogs = new EndedLogs(parts.clock);
    const save = (request: LiveRequest) => this.#save(request);
    this.#context = { node: parts.node, clock: parts.clock, replyTo: parts.replyTo, save };
  }

  /** Those in memory. */
  *live(): IterableIterator<LiveRequest> {
    for (const { live } of this.#pages.values()) yield live;
  }

  /** A request of which nobody knows once it has ended. It is held. */
  begin(facts: RequestFacts, deadlineAtMs: number): LiveRequest {
    const live = new LiveRequest(facts, deadlineAtMs, this.#context);
    this.#add(live);
    return live;
  }

  /**
   * Keeps a new request, and holds it; undefined where there is one of this id.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async create(facts: RequestFacts, deadlineAtMs: number): Promise<LiveRequest | undefined> {
    const { requestId } = facts;
    if (this.#pages.has(requestId) || this.#opening.has(requestId)) return undefined;
    const live = new LiveRequest(facts, deadlineAtMs, this.#context);
    const first = live.snapshot();
    const creating = this.#parts.store.create(this.#parts.team, first).then((existing) => {
      if (existing !== undefined) return undefined;
      live.revision = first.revision;
      return this.#add(live).live;
    });
    return this.#openOnce(requestId, creating);
  }

  /**
   * The request of an id: the live one, which is held then, or as it was kept when it ended.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async lookUp(requestId: string): Promise<LiveRequest | StoredRequest | undefined> {
    const { store, team } = this.#parts;
    while (this.#opening.has(requestId)) await this.#opening.get(requestId)?.catch(() => {});
    const page = this.#pages.get(requestId);
    if (page !== undefined) {
      page.holders += 1;
      return page.live;
    }
    const finding = store.find(team, requestId).then((stored) => {
      if (stored === undefined || isFinal(stored.state)) return stored;
      return this.#add(new LiveRequest(stored, stored.deadlineAtMs, this.#context, stored)).live;
    });
    return this.#openOnce(requestId, finding);
  }

  /** As find. @throws ReachError REQUEST_UNKNOWN, STORE_UNAVAILABLE */
  async open(requestId: string): Promise<LiveRequest | StoredRequest> {
    const found = await this.lookUp(requestId);
    if (found === undefined) throw unknownRequest(requestId);
    return found;
  }

  /** Whoever held it has no more interest in it. */
  release(live: LiveRequest): void {
    const page = this.#pages.get(live.requestId);
    if (page?.live !== live) return;
    page.holders -= 1;
    // One whose end could not be kept stays: what it came to is known here alone.
    if (page.holders === 0 && !live.isOver) this.#pages.delete(live.requestId);
  }

  /** What its events can be read from. */
  logOf(found: LiveRequest | StoredRequest): EventLog {
    if (found instanceof LiveRequest) return found.log;
    return this.#endedLogs.get(found.requestId) ?? EventLog.of(found.history, found.answer);
  }

  /** Its answer, once that is there for everybody. @throws ReachError why it was not let in, or cannot be kept */
  async answered(live: LiveRequest): Promise<DispatchAnswer> {
    if (live.isTold && live.answer !== undefined) return live.answer;
    if (this.#isLeaving && !live.isRunning) throw leftError(live.requestId);
    return await this.#page(live).ended.promise;
  }

  /** The process ends soon: nobody waits any more for what nobody carries out. */
  leave(): void {
    this.#isLeaving = true;
    for (const { live, ended } of this.#pages.values()) {
      if (!live.isRunning) ended.reject(leftError(live.requestId));
      live.leave();
    }
  }

  /** Nobody carries it out any more, though it has not ended. Resolves when it is kept as it stands. */
  async left(live: LiveRequest): Promise<void> {
    const { ended, saved } = this.#page(live);
    ended.reject(leftError(live.requestId));
    await saved.catch(() => {});
  }

  /**
   * It has ended with this answer, or with the one that it had before. Resolves when that is kept, and told.
   * At once where it need not be kept.
   * @throws ReachError STORE_UNAVAILABLE; then it stays in memory, and is saved by the next try
   */
  end(live: LiveRequest, answer: DispatchAnswer): DispatchAnswer | Promise<DispatchAnswer> {
    if (live.isTold && live.answer !== undefined) return live.answer;
    live.conclude(answer);
    const page = this.#page(live);
    return live.isKept ? this.#keepEnd(page, answer) : this.#tellEnd(page, answer);
  }

  async #keepEnd(page: Page, answer: DispatchAnswer): Promise<DispatchAnswer> {
    try {
      await this.#save(page.live);
    } catch (thrown) {
      page.ended.reject(asReachError(thrown));
      throw thrown;
    }
    return this.#tellEnd(page, answer);
  }

  #tellEnd({ live, ended }: Page, answer: DispatchAnswer): DispatchAnswer {
    const concluded = live.answer ?? answer;
    if (live.isTold) return concluded;
    live.tellEnd();
    this.#pages.delete(live.requestId);
    ended.resolve(concluded);
    if (live.isKept) {
      this.#endedLogs.add(live.requestId, live.log);
      this.#parts.onEnd({ ...live.snapshot(), revision: live.revision });
    }
    return concluded;
  }

  /** It was not let in: nothing of it is kept, and whoever waits for it is told why. */
  async refuse(live: LiveRequest, error: ReachError): Promise<void> {
    const page = this.#page(live);
    this.#pages.delete(live.requestId);
    live.refuse(error);
    page.ended.reject(error);
    if (!live.isKept) return;
    const { store, team } = this.#parts;
    // From this moment on: whoever comes with the id now must not find what is about to go.
    const removed = page.saved.catch(() => {}).then(() => store.remove(team, live.requestId));
    await this.#openOnce(live.requestId, removed);
  }

  #add(live: LiveRequest): Page {
    const page = { live, ended: new Settled<DispatchAnswer>(), holders: 1, saved: NOTHING_TO_SAVE };
    this.#pages.set(live.requestId, page);
    if (this.#isLeaving) live.leave();
    return page;
  }

  #page(live: LiveRequest): Page {
    const page = this.#pages.get(live.requestId);
    if (page?.live !== live) throw new ReachError('INTERNAL', `The request ${live.requestId} was let go of.`);
    return page;
  }

  async #openOnce<Result>(requestId: string, opening: Promise<Result>): Promise<Result> {
    this.#opening.set(requestId, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(requestId);
    }
  }

  async #save(live: LiveRequest): Promise<void> {
    const page = this.#page(live);
    const saving = page.saved.catch(() => {}).then(() => this.#saveNow(live));
    page.saved = saving;
    await saving;
  }

  async #saveNow(live: LiveRequest): Promise<void> {
    const { store, team } = this.#parts;
    const next = live.snapshot();
    if (!(await store.save(team, next))) {
      throw new ReachError(
        'STORE_UNAVAILABLE',
        `The request ${live.requestId} was changed by another process.`,
      );
    }
    live.revision = next.revision;
  }
}

export function unknownRequest(requestId: string): ReachError {
  return new ReachError('REQUEST_UNKNOWN', `No request ${requestId} is known.`);
}
