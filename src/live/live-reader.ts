import { ReachError } from '../errors.js';

/** Nobody has so many followers; whoever opens more has forgotten to leave. */
const MOST_READERS = 1_000;

const DONE = { done: true, value: undefined } as const;

/**
 * One follower's iteration. It takes the next event where there is one, else waits until it is woken. It ends by
 * `end()`, by its signal, or when the follower leaves its loop, also while it waits.
 */
export class LiveReader<Event> implements AsyncIterableIterator<Event> {
  readonly #take: () => Event | undefined;
  readonly #onEnd: (reader: LiveReader<Event>) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #endBySignal = () => this.end();
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(
    take: () => Event | undefined,
    onEnd: (reader: LiveReader<Event>) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#take = take;
    this.#onEnd = onEnd;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#endBySignal, { once: true });
  }

  wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#endBySignal);
    this.#onEnd(this);
    this.wake();
  }

  async next(): Promise<IteratorResult<Event, undefined>> {
    while (!this.#ended) {
      const value = this.#take();
      if (value !== undefined) return { done: false, value };
      // What is taken from may have come to its end by itself.
      if (this.#ended) break;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    return DONE;
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    this.end();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** The followers of one stream, bounded in number. */
export class LiveReaders<Event> {
  readonly #readers = new Set<LiveReader<Event>>();

  /**
   * A reader that takes from `take`; `onEnd` is called once when it has ended.
   * @throws ReachError OVERLOADED
   */
  open(take: () => Event | undefined, signal?: AbortSignal, onEnd = () => {}): LiveReader<Event> {
    if (this.#readers.size >= MOST_READERS) {
      throw new ReachError('OVERLOADED', `${MOST_READERS} followers are already served.`);
    }
    const ended = (reader: LiveReader<Event>) => {
      this.#readers.delete(reader);
      onEnd();
    };
    const reader = new LiveReader(take, ended, signal);
    this.#readers.add(reader);
    if (signal?.aborted) reader.end();
    return reader;
  }

  wakeAll(): void {
    for (const reader of this.#readers) reader.wake();
  }

  endAll(): void {
    for (const reader of this.#readers) reader.end();
  }
}
