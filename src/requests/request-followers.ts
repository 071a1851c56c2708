import { type LiveReader, LiveReaders } from '../live/live-reader.js';
import type { RequestEvent } from '../wire/requests.js';
import type { EventLog } from './event-log.js';

interface FollowOptions {
  /** Of the event to go on after; 0: from the first on. */
  readonly lastEventId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once; `hasLeft`: before the answer, of the follower's own accord. */
  readonly onEnd: (hasLeft: boolean) => void;
}

/** All who follow requests, bounded in number. A loop ends behind the answer. */
export class RequestFollowers {
  readonly #readers = new LiveReaders<RequestEvent>();
  #isClosing = false;

  /** @throws ReachError OVERLOADED */
  follow(log: EventLog, { lastEventId = 0, signal, onEnd }: FollowOptions): AsyncIterable<RequestEvent> {
    const cursor = log.cursorAfter(lastEventId);
    let isOver = false;
    let reader: LiveReader<RequestEvent> | undefined;
    const take = () => {
      try {
        const event = log.take(cursor);
        if (event === undefined && log.isOver) {
          isOver = true;
          reader?.end();
        }
        return event;
      } catch (refusal) {
        isOver = true;
        reader?.end();
        throw refusal;
      }
    };
    const unfollow = log.follow(() => reader?.wake());
    try {
      reader = this.#readers.open(take, signal, () => {
        unfollow();
        onEnd(!isOver && !log.isOver && !this.#isClosing);
      });
    } catch (thrown) {
      unfollow();
      throw thrown;
    }
    return reader;
  }

  /** Ends every loop; what is followed goes on. */
  close(): void {
    this.#isClosing = true;
    this.#readers.endAll();
  }
}
