import type { ReachError } from '../errors.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import type { RequestEvent } from '../wire/requests.js';
import { toldState } from './request-status.js';
import type { KeptState } from './request-store.js';

/** What of `queued`, `progress` and `delta` is kept, the newest: so many, and so much. */
const MOST_PIECES = 1_000;
const MOST_CHARS = 1_048_576;

/** The id of its event is that of the event. */
type LoggedState = Omit<KeptState, 'eventId'>;
type Piece = Exclude<RequestEvent, { event: 'state' | 'answer' | 'lost' }>;
/** A state is kept in short, and told whole: most requests are followed by nobody. */
export type OpenEvent = Piece | { event: 'state'; id: number; data: LoggedState };
type Logged = OpenEvent | Extract<RequestEvent, { event: 'answer' }>;

/** A place in a log: behind the event of this id, as the log was rewound so often. */
export interface EventCursor {
  lastId: number;
  rewinds: number;
}

const isPiece = ({ event }: Logged) => event !== 'state' && event !== 'answer';

/**
 * What a request has told so far, numbered from 1. States and the answer are kept all, of the rest only the newest;
 * a follower who has missed some is told how many.
 */
export class EventLog {
  /** By id, with gaps where pieces are gone. */
  readonly #events: Logged[] = [];
  #lastId = 0;
  #pieces = 0;
  #chars = 0;
  #isOver = false;
  #rewinds = 0;
  /** The first place that it was ever rewound to. */
  #rewoundTo = Number.POSITIVE_INFINITY;
  #refusal: ReachError | undefined;
  /** Made for the first one: most requests are followed by nobody. */
  #followers: Set<() => void> | undefined;

  /** The log of a request as it is kept: its states, and its answer. */
  static of(history: readonly KeptState[], answer: DispatchAnswer | undefined): EventLog {
    const log = new EventLog();
    for (const { eventId: id, ...data } of history) log.#events.push({ event: 'state', id, data });
    log.#lastId = history.at(-1)?.eventId ?? 0;
    if (answer !== undefined) log.answer(answer);
    return log;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Whether the answer is there, behind which nothing comes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get states(): KeptState[] {
    return this.#events.flatMap((logged) =>
      logged.event === 'state' ? [{ ...logged.data, eventId: logged.id }] : [],
    );
  }

  /** Of what is told by nobody else, in characters; 0: all of it can be had from the kept request. */
  get chars(): number {
    return this.#chars;
  }

  state(state: LoggedState): void {
    this.#add({ event: 'state', id: this.#nextId(), data: state });
  }

  queued(place: number): void {
    this.#addPiece({ event: 'queued', id: this.#nextId(), data: { place } });
  }

  tell(event: 'progress' | 'delta', data: unknown): void {
    this.#addPiece({ event, id: this.#nextId(), data });
  }

  /** The last one. */
  answer(answer: DispatchAnswer): void {
    this.#isOver = true;
    this.#add({ event: 'answer', id: this.#nextId(), data: answer });
  }

  /** Those behind an id, but for the answer. */
  openAfter(id: number): OpenEvent[] {
    return this.#events.filter((logged): logged is OpenEvent => logged.id > id && logged.event !== 'answer');
  }

  /** What another replica has told of it. What is here already is not taken again. */
  takeOver(events: readonly OpenEvent[]): void {
    for (const event of events) {
      if (event.id <= this.#lastId || this.#isOver) continue;
      this.#lastId = event.id;
      if (event.event === 'state') this.#add(event);
      else this.#addPiece(event);
    }
  }

  /**
   * Its states as they are kept. Where they go on otherwise than here, another replica has begun it again: what was told
   * since then is taken back, and followers hear what came in its place.
   */
  keepTo(history: readonly KeptState[]): void {
    const own = this.states;
    const isSame = (state: KeptState, at: number) =>
      own[at]?.eventId === state.eventId && own[at].state === state.state;
    const first = history.findIndex((state, at) => !isSame(state, at));
    if (first === -1) return;
    const before = history[first - 1]?.eventId ?? 0;
    if (own.length > first || (history[first]?.eventId ?? 0) <= this.#lastId) this.#rewind(before);
    this.takeOver(history.slice(first).map(({ eventId: id, ...data }) => ({ event: 'state', id, data })));
  }

  /** It was not let in: followers are told so in place of what would have come. */
  refuse(error: ReachError): void {
    this.#refusal = error;
    this.#wakeAll();
  }

  /** `wake` is called after every event; the returned function ends it. */
  follow(wake: () => void): () => void {
    this.#followers ??= new Set();
    this.#followers.add(wake);
    return () => this.#followers?.delete(wake);
  }

  /** A cursor behind an event. An id that is of an earlier run, and higher than all of this one, tells all again. */
  cursorAfter(lastEventId: number): EventCursor {
    return { lastId: lastEventId > this.#lastId ? 0 : lastEventId, rewinds: this.#rewinds };
  }

  /**
   * The next event behind the cursor, which moves on; undefined where there is none yet.
   * @throws ReachError that it was refused with
   */
  take(cursor: EventCursor): RequestEvent | undefined {
    if (cursor.rewinds !== this.#rewinds) {
      cursor.rewinds = this.#rewinds;
      cursor.lastId = Math.min(cursor.lastId, this.#rewoundTo);
    }
    const next = this.#after(cursor.lastId);
    if (next === undefined) {
      if (this.#refusal !== undefined) throw this.#refusal;
      return undefined;
    }
    const count = next.id - cursor.lastId - 1;
    cursor.lastId = next.id - (count > 0 ? 1 : 0);
    if (count > 0) return { event: 'lost', id: cursor.lastId, data: { count } };
    return next.event === 'state' ? { ...next, data: toldState(next.data) } : next;
  }

  #after(lastId: number): Logged | undefined {
    // Ids are at least one apart: what lies behind is within so many places of the end.
    let index = Math.max(0, this.#events.length - (this.#lastId - lastId));
    while ((this.#events[index]?.id ?? Number.POSITIVE_INFINITY) <= lastId) index += 1;
    return this.#events[index];
  }

  /** Forgets all behind an id. */
  #rewind(id: number): void {
    while ((this.#events.at(-1)?.id ?? 0) > id) {
      const lost = this.#events.pop();
      if (lost === undefined || !isPiece(lost)) continue;
      this.#pieces -= 1;
      this.#chars -= charsOf(lost as Piece);
    }
    this.#lastId = id;
    this.#isOver = false;
    this.#rewinds += 1;
    this.#rewoundTo = Math.min(this.#rewoundTo, id);
  }

  #wakeAll(): void {
    if (this.#followers === undefined) return;
    for (const wake of this.#followers) wake();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #add(logged: Logged): void {
    this.#events.push(logged);
    this.#wakeAll();
  }

  #addPiece(piece: Piece): void {
    this.#pieces += 1;
    this.#chars += charsOf(piece);
    this.#add(piece);
    while (this.#pieces > MOST_PIECES || this.#chars > MOST_CHARS) this.#loseOldest();
  }

  #loseOldest(): void {
    const [lost] = this.#events.splice(this.#events.findIndex(isPiece), 1);
    this.#pieces -= 1;
    if (lost !== undefined) this.#chars -= charsOf(lost as Piece);
  }
}

/** As JSON. */
function charsOf({ data }: Piece): number {
  return typeof data === 'string' ? data.length + 2 : (JSON.stringify(data) ?? '').length;
}
