import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import type { BookListener } from './book-listener.js';
import { EndedLogs } from './ended-logs.js';
import { EventLog } from './event-log.js';
import { keepRequest } from './keep-request.js';
import { type LiveContext, LiveRequest } from './live-request.js';
import { OneAtATime } from './one-at-a-time.js';
import { leftError, lostRequest, takenError, unknownRequest } from './request-answers.js';
import type { RequestFacts } from './request-facts.js';
import { newPage, type Page } from './request-page.js';
import { isFinal } from './request-state.js';
import type { RequestStore, StoredRequest } from './request-store.js';

export interface RequestBookParts {
  readonly store: RequestStore;
  readonly team: string;
  readonly clock: Clock;
  readonly node: string;
  readonly replyTo: LiveContext['replyTo'];
  /** Told of each kept request when the end that it came to here is durable. */
  readonly onEnd: (request: StoredRequest) => void;
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
  readonly #opening = new OneAtATime();
  readonly #endedLogs: EndedLogs;
  #listener: BookListener | undefined;
  #isLeaving = false;

  constructor(parts: RequestBookParts) {
    this.#parts = parts;
    this.#endedLogs = new EndedLogs(parts.clock);
    const save = (request: LiveRequest) => this.#save(request);
    this.#context = { node: parts.node, clock: parts.clock, replyTo: parts.replyTo, save };
  }

  /** There is one listener. */
  listen(listener: BookListener): void {
    this.#listener = listener;
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
      this.#add(live);
      if (live.isOurs) this.#listener?.begun(live);
      return live;
    });
    return this.#opening.run(requestId, creating);
  }

  /**
   * The request of an id: the live one, which is held then, or as it was kept when it ended. What is not carried out here
   * is as it is kept at this moment.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async lookUp(requestId: string): Promise<LiveRequest | StoredRequest | undefined> {
    const { store, team } = this.#parts;
    // Of those who waited for it the first one goes on at once.
    while (this.#opening.has(requestId)) await this.#opening.settled(requestId);
    const page = this.#pages.get(requestId);
    if (page !== undefined) {
      const { live } = page;
      if (!live.isRunning && !live.isOver) await this.refresh(live);
      if (this.#pages.get(requestId) === page) page.holders += 1;
      else if (!live.isTold) return this.lookUp(requestId);
      return live;
    }
    const finding = store.find(team, requestId).then((stored) => {
      if (stored === undefined || isFinal(stored.state)) return stored;
      const { live } = this.#add(new LiveRequest(stored, stored.deadlineAtMs, this.#context, stored));
      this.#listener?.copied(live);
      return live;
    });
    return this.#opening.run(requestId, finding);
  }

  /** The live request of an id, where it is in memory; it is not held. */
  inMemory(requestId: string): LiveRequest | undefined {
    return this.#pages.get(requestId)?.live;
  }

  /** What other replicas have made of one that is not carried out here. @throws ReachError STORE_UNAVAILABLE */
  async refresh(live: LiveRequest): Promise<void> {
    const { store, team } = this.#parts;
    const page = this.#pages.get(live.requestId);
    if (page?.live !== live) return;
    await page.saved.catch(() => {});
    const stored = await store.find(team, live.requestId);
    if (live.isRunning || live.isOver || this.#pages.get(live.requestId) !== page) return;
    if (stored === undefined) this.forget(live, lostRequest(live.requestId));
    else if (stored.revision > live.revision) this.#adopt(page, stored);
  }

  /**
   * It is carried out here from now on. False: it is another replica's.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async take(live: LiveRequest): Promise<boolean> {
    live.begin();
    live.isRunning = true;
    try {
      await this.#save(live);
    } catch (thrown) {
      live.isRunning = false;
      if (live.isOurs) throw thrown;
      return false;
    }
    this.#listener?.begun(live);
    return true;
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
    const { ended } = this.#page(live);
    ended.reject(leftError(live.requestId));
    if (!live.isKept) return;
    live.disown();
    // Where that fails, it is found to be nobody's by the end of this process.
    await this.#save(live).catch(() => {});
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
    const { live, ended } = page;
    try {
      await this.#save(live);
    } catch (thrown) {
      // Another replica was faster: what it came to there is the answer.
      if (live.isTold && live.answer !== undefined) return live.answer;
      if (live.isOver) ended.reject(asReachError(thrown));
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
    this.forget(live, error);
    if (!live.isKept) return;
    this.#listener?.refused(live, error);
    const { store, team } = this.#parts;
    // From this moment on: whoever comes with the id now must not find what is about to go.
    const removed = page.saved.catch(() => {}).then(() => store.remove(team, live.requestId));
    await this.#opening.run(live.requestId, removed);
  }

  /** Nothing of it is kept, and whoever waits for it is told why. */
  forget(live: LiveRequest, error: ReachError): void {
    const { ended } = this.#page(live);
    this.#pages.delete(live.requestId);
    live.log.refuse(error);
    ended.reject(error);
  }

  /** Keeps it as it stands. @throws ReachError STORE_UNAVAILABLE, also where another replica was faster */
  async keep(live: LiveRequest): Promise<void> {
    await this.#save(live);
  }

  #add(live: LiveRequest): Page {
    const page = newPage(live);
    this.#pages.set(live.requestId, page);
    if (this.#isLeaving) live.leave();
    return page;
  }

  #page(live: LiveRequest): Page {
    const page = this.#pages.get(live.requestId);
    if (page?.live !== live) throw new ReachError('INTERNAL', `The request ${live.requestId} was let go of.`);
    return page;
  }

  async #save(live: LiveRequest): Promise<void> {
    const page = this.#page(live);
    const saving = page.saved.catch(() => {}).then(() => this.#saveNow(page));
    page.saved = saving;
    await saving;
  }

  async #saveNow(page: Page): Promise<void> {
    const { store, team } = this.#parts;
    const { live } = page;
    const keeping = await keepRequest(store, team, live);
    if (keeping.isKept) return;
    if (keeping.found === undefined) this.forget(live, lostRequest(live.requestId));
    else this.#adopt(page, keeping.found);
    throw takenError(live.requestId);
  }

  #adopt(page: Page, stored: StoredRequest): void {
    const { live, ended } = page;
    live.adopt(stored);
    if (live.answer === undefined) return;
    this.#pages.delete(live.requestId);
    ended.resolve(live.answer);
    this.#endedLogs.add(live.requestId, live.log);
  }
}
