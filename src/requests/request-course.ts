import type { DispatchAnswer } from '../wire/dispatch.js';
import { EventLog, type OpenEvent } from './event-log.js';
import { type FinalState, isFinal, mayFollow, type OpenState, type RequestState } from './request-state.js';
import type { KeptState, StoredRequest } from './request-store.js';

type Entry = Omit<KeptState, 'eventId'>;

/** The states that a request goes through, to its end and its answer, and what is told of them. */
export class RequestCourse {
  readonly log: EventLog;
  #state: RequestState;
  /** The last one that was none of the ends. */
  #openState: OpenState = 'queued';
  /** The final state, and the answer, before they are told. */
  #end: Entry | undefined;
  #answer: DispatchAnswer | undefined;
  #isTold = false;

  /** One that begins, or one as it was kept. */
  constructor(from: Entry | Pick<StoredRequest, 'state' | 'history' | 'answer'>) {
    this.#state = from.state;
    if (!isFinal(from.state)) this.#openState = from.state;
    if ('history' in from) {
      this.log = EventLog.of(from.history, from.answer);
    } else {
      this.log = new EventLog();
      this.log.state(from);
    }
  }

  get state(): RequestState {
    return this.#state;
  }

  get isOver(): boolean {
    return isFinal(this.#state);
  }

  /** Undefined until it is concluded. */
  get answer(): DispatchAnswer | undefined {
    return this.#answer;
  }

  /** Whether its answer is there for everybody. */
  get isTold(): boolean {
    return this.#isTold;
  }

  get isCancelled(): boolean {
    return this.#end?.state === 'cancelled';
  }

  /** False where the diagram has no such step. */
  step(entry: Entry & { readonly state: OpenState }): boolean {
    if (!mayFollow(this.#state, entry.state)) return false;
    this.#state = entry.state;
    this.#openState = entry.state;
    this.log.state(entry);
    return true;
  }

  /** Its state is final at once; it is told later. False: it was over before. */
  finish(entry: Entry & { readonly state: FinalState }): boolean {
    if (this.isOver) return false;
    this.#state = entry.state;
    this.#end = entry;
    return true;
  }

  conclude(answer: DispatchAnswer): void {
    this.#answer = answer;
  }

  tellEnd(): void {
    if (this.#isTold || this.#end === undefined || this.#answer === undefined) return;
    this.#isTold = true;
    this.log.state(this.#end);
    this.log.answer(this.#answer);
  }

  /** As it is to be kept. */
  kept(): Pick<StoredRequest, 'state' | 'history' | 'answer'> {
    const answer = this.#answer;
    // A cancelled request whose answer is not there yet has ended for nobody.
    const ending = answer === undefined || this.#isTold ? undefined : this.#end;
    const last = ending === undefined ? [] : [{ ...ending, eventId: this.log.lastId + 1 }];
    return {
      state: answer === undefined ? this.#openState : this.#state,
      history: [...this.log.states, ...last],
      answer,
    };
  }

  /** What another replica tells of it, which carries it out. */
  hear(events: readonly OpenEvent[]): void {
    if (this.isOver) return;
    this.log.takeOver(events);
    this.#followLog();
  }

  /** As it is kept, where another replica was faster: an end that it was about to get here does not count. */
  adopt({ state, history, answer }: StoredRequest): void {
    this.#end = undefined;
    this.#state = state;
    this.#answer = answer;
    this.log.keepTo(history);
    this.#isTold = isFinal(state);
    if (!this.#isTold) this.#followLog();
    else if (answer !== undefined && !this.log.isOver) this.log.answer(answer);
  }

  /** What is told is ahead of what is kept. */
  #followLog(): void {
    const last = this.log.states.at(-1)?.state;
    if (last === undefined || isFinal(last)) return;
    this.#state = last;
    this.#openState = last;
  }
}
