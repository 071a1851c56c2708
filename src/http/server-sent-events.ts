import { type Clock, systemClock } from '../clock.js';

export const EVENT_STREAM = 'text/event-stream';

/** One event in the form of the HTML standard's server-sent events. */
export interface ServerSentEvent {
  readonly event: string;
  /** What a reader sends as `last-event-id` to go on after it. */
  readonly id?: string;
  /** In wire form. */
  readonly data: unknown;
}

/** A proxy or a reader that hears nothing for long takes the connection for dead. */
const SILENCE_MS = 15_000;
/** After this a reader that lost its connection should come again. */
const RETRY_MS = 2_000;
const STILL_HERE = ':\n\n';

/** An event as the text of a stream. JSON has no line breaks of its own, so that one line of data is enough. */
export function eventText({ event, id, data }: ServerSentEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits for a promise again and again, with one listener: one that stays open for days keeps all that it is given. */
class Arrival {
  #isHere = false;
  #tell = () => {};

  constructor(promise: Promise<unknown>) {
    const arrived = () => {
      this.#isHere = true;
      this.#tell();
    };
    promise.then(arrived, arrived);
  }

  /** Whether it has settled, as soon as it has, and after `delayMs` in any case. */
  within(delayMs: number, clock: Clock): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = clock.after(delayMs, () => resolve(false));
      this.#tell = () => {
        cancel();
        resolve(true);
      };
      if (this.#isHere) this.#tell();
    });
  }
}

/**
 * Events as the text of a stream: first a piece that tells when to come again after a break and, with `id`, where to
 * go on, so that a reader has its answer before anything has happened; a comment in every silence.
 */
export async function* eventStream(
  events: AsyncIterable<ServerSentEvent>,
  id?: string,
  clock: Clock = systemClock,
): AsyncGenerator<string, void> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    yield `retry: ${RETRY_MS}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
    for (;;) {
      const next = iterator.next();
      const arrival = new Arrival(next);
      while (!(await arrival.within(SILENCE_MS, clock))) yield STILL_HERE;
      const { done, value } = await next;
      if (done) return;
      yield eventText(value);
    }
  } finally {
    await iterator.return?.();
  }
}
