import type { Clock } from '../clock.js';
import { Ending, type EndSignal } from '../end-signal.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import type { EventLog, OpenEvent } from './event-log.js';
import { LateReplies } from './late-replies.js';
import type { RepliedTo } from './reply-tokens.js';
import { cancelledAnswer, endedError, leftError, takenError } from './request-answers.js';
import { RequestCourse } from './request-course.js';
import type { RequestFacts } from './request-facts.js';
import type { Delivery, LateAnswer, RequestLife } from './request-life.js';
import { isSetback, isWithAgent, type OpenState, type RequestState } from './request-state.js';
import type { KeptDelivery, StoredRequest } from './request-store.js';

/** What all live requests share. */
export interface LiveContext {
  readonly node: string;
  readonly clock: Clock;
  /** Where an agent answers later; undefined where no door is open. */
  readonly replyTo: (requestId: string, repliedTo: RepliedTo) => string | undefined;
  /** Saves a request that is kept, as it is by then. */
  readonly save: (request: LiveRequest) => Promise<void>;
}

/**
 * A request while it is of interest here: it is carried out, followed or waited for. Its states follow the diagram,
 * whatever it is told and in whatever order; once it is over, nothing changes it.
 */
export class LiveRequest implements RequestLife {
  readonly facts: RequestFacts;
  readonly acceptedAt: number;
  readonly replies = new LateReplies();
  readonly earlier: Delivery | undefined;
  /** Whether it is carried out here. */
  isRunning = false;
  deadlineAtMs: number;
  /** Of the last save. */
  revision = 0;
  #run = 1;
  readonly #course: RequestCourse;
  #delivery: KeptDelivery | undefined;
  #owner: string | undefined;
  #isLeaving = false;
  #ending = new Ending();
  readonly #context: LiveContext;

  constructor(facts: RequestFacts, deadlineAtMs: number, context: LiveContext, stored?: StoredRequest) {
    this.facts = facts;
    this.deadlineAtMs = deadlineAtMs;
    this.#context = context;
    const { clock, node } = context;
    this.acceptedAt = clock.monotonic() - (clock.now() - facts.acceptedAtMs);
    this.earlier = stored?.delivery && {
      deadline: clock.monotonic() + deadlineAtMs - clock.now(),
      ...stored.delivery,
    };
    if (stored === undefined) {
      this.#course = new RequestCourse({ state: 'queued', atMs: facts.acceptedAtMs, node });
      this.#owner = facts.mode === 'sync' ? node : undefined;
      return;
    }
    this.#course = new RequestCourse(stored);
    this.#stand(stored);
  }

  get log(): EventLog {
    return this.#course.log;
  }

  get requestId(): string {
    return this.facts.requestId;
  }

  /** Whether it is to outlive this process. */
  get isKept(): boolean {
    return this.facts.bodyHash !== undefined;
  }

  get mode(): RequestLife['mode'] {
    return this.facts.mode;
  }

  get traceparent(): string | undefined {
    return this.facts.traceparent;
  }

  get signal(): EndSignal {
    if (this.isOver) this.#ending.abort();
    return this.#ending;
  }

  get state(): RequestState {
    return this.#course.state;
  }

  get isOver(): boolean {
    return this.#course.isOver;
  }

  /** Undefined until it is concluded. */
  get answer(): DispatchAnswer | undefined {
    return this.#course.answer;
  }

  /** Whether its answer is there for everybody. */
  get isTold(): boolean {
    return this.#course.isTold;
  }

  get delivery(): KeptDelivery | undefined {
    return this.#delivery;
  }

  /** The replica that carries it out, or the last that did. */
  get owner(): string | undefined {
    return this.#owner;
  }

  get isOurs(): boolean {
    return this.#owner === this.#context.node;
  }

  /** In ms, since it was accepted. */
  get elapsedMs(): number {
    return this.#context.clock.monotonic() - this.acceptedAt;
  }

  enter(state: Exclude<OpenState, 'delivered'>, attempt?: number): void {
    const before = this.state;
    if (!this.#step(state, attempt)) return;
    // Found by a restart, what was delivered may have been executed; what has come back from there can go on.
    if (isSetback(state) && this.#delivery !== undefined && before !== 'queued') void this.#saveIfKept();
    this.#leaveIfWaiting();
  }

  deliver(delivery: Delivery): Promise<void> | undefined {
    const { attempt, agentName, instanceId, capabilityId, idempotent, deadline } = delivery;
    // Whoever carries it out may not have seen yet that it is over: nothing is sent then.
    if (!this.#step('delivered', attempt)) return Promise.reject(endedError(this.requestId));
    const { clock, save } = this.#context;
    this.#delivery = { attempt, agentName, instanceId, capabilityId, idempotent, awaitsReply: false };
    this.deadlineAtMs = Math.ceil(clock.now() + deadline - clock.monotonic());
    return this.isKept ? save(this) : undefined;
  }

  queuedAt(place: number): void {
    if (!this.isOver) this.log.queued(place);
  }

  progress(data: unknown): void {
    if (!this.isOver) this.log.tell('progress', data);
  }

  delta(data: unknown): void {
    if (!this.isOver) this.log.tell('delta', data);
  }

  late(attempt: number): (LateAnswer & { readonly replyTo: string }) | undefined {
    const replyTo = this.#context.replyTo(this.requestId, { run: this.#run, attempt });
    if (replyTo === undefined) return undefined;
    const taken = this.replies.open(attempt);
    const awaited = () => this.#awaitReply();
    return {
      replyTo,
      get answer(): Promise<FinalAnswer> {
        return awaited().then(taken);
      },
      giveUp: () => this.replies.giveUp(attempt),
    };
  }

  /** Whether this delivery may still be answered. After a restart nothing is open here, and the last one may be. */
  mayReply({ run, attempt }: RepliedTo): boolean {
    if (this.isOver || run !== this.#run) return false;
    if (this.isRunning) return this.replies.isOpen(attempt);
    return this.#delivery?.awaitsReply === true && this.#delivery.attempt === attempt;
  }

  /** It is carried out here, perhaps again: what was delivered before is no longer waited for. */
  begin(): void {
    this.#owner = this.#context.node;
    if (this.#delivery === undefined) return;
    this.#run += 1;
    this.#step('queued');
  }

  /** It waits for whoever goes on with it. */
  disown(): void {
    this.#owner = undefined;
  }

  /** What another replica tells of it, which carries it out. */
  hear(events: readonly OpenEvent[]): void {
    this.#course.hear(events);
  }

  /** As it is kept, where another replica was faster. */
  adopt(stored: StoredRequest): void {
    this.#course.adopt(stored);
    this.#stand(stored);
    // Whoever carries it out here goes no further.
    this.#ending.abort(takenError(this.requestId));
    this.#ending = new Ending();
  }

  /** Its state is final at once; its answer comes with `conclude`. False: it was over before. */
  cancel(): boolean {
    if (!this.#course.finish(this.#now('cancelled'))) return false;
    this.#ending.abort();
    return true;
  }

  /**
   * The process ends soon. What an agent is at still ends here; what only waits is left to the next start, now or as
   * soon as it does. A reply could not come in any more: what is not kept and waits for one is cancelled.
   */
  leave(): void {
    this.#isLeaving = true;
    this.#leaveIfWaiting();
  }

  /** It has this answer, unless it has one: a cancelled request stays cancelled. Nobody is told yet. */
  conclude(answer: DispatchAnswer): void {
    if (this.answer !== undefined) return;
    const { isCancelled } = this.#course;
    this.#course.finish(this.#now(answer.state));
    this.#course.conclude(isCancelled ? cancelledAnswer(this, answer) : answer);
    // Who carried it out to its end has nobody left to stop: a stream may still be read to its end.
    if (this.isRunning) this.#ending.abort();
  }

  /** The end is kept, where it is to be: everybody may know. */
  tellEnd(): void {
    this.#course.tellEnd();
  }

  /** As it is to be kept next. */
  snapshot(): StoredRequest {
    const { facts } = this;
    const kept = this.#course.kept();
    return {
      ...facts,
      ...kept,
      bodyHash: facts.bodyHash ?? '',
      deadlineAtMs: this.deadlineAtMs,
      delivery: this.#delivery,
      run: this.#run,
      owner: this.#owner,
      callbackDue: kept.answer !== undefined && facts.request.callbackUrl !== undefined,
      revision: this.revision + 1,
    };
  }

  #stand(stored: StoredRequest): void {
    this.#delivery = stored.delivery;
    this.#owner = stored.owner;
    this.#run = stored.run;
    this.deadlineAtMs = stored.deadlineAtMs;
    this.revision = stored.revision;
  }

  async #awaitReply(): Promise<void> {
    if (this.isOver || this.#delivery === undefined || this.#delivery.awaitsReply) return;
    this.#delivery = { ...this.#delivery, awaitsReply: true };
    this.#leaveIfWaiting();
    await this.#saveIfKept();
  }

  #leaveIfWaiting(): void {
    if (!this.#isLeaving || this.isOver) return;
    if (!isWithAgent(this.state)) {
      // Whoever carries it out goes no further.
      if (this.mode === 'async') this.#ending.abort(leftError(this.requestId));
    } else if (this.#delivery?.awaitsReply) {
      if (this.isKept) this.replies.leave();
      else this.cancel();
    }
  }

  /** Never rejects: where it fails, a restart finds less, and the end is saved all the same. */
  async #saveIfKept(): Promise<void> {
    if (this.isKept) await this.#context.save(this).catch(() => {});
  }

  #step(state: OpenState, attempt?: number): boolean {
    return this.#course.step(this.#now(state, attempt));
  }

  #now<State extends RequestState>(state: State, attempt?: number) {
    const { clock, node } = this.#context;
    const atMs = clock.now();
    return attempt === undefined ? { state, atMs, node } : { state, atMs, node, attempt };
  }
}
