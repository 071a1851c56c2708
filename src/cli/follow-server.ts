import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '../errors.js';
import type { EventBlock } from '../wire/event-blocks.js';
import { jsonOf } from './remote-answer.js';
import { remoteEvents } from './remote-events.js';

/** Until the server says how long to wait before coming again. */
const RETRY_MS = 2_000;

export interface FollowedEvent {
  readonly event: string;
  /** Parsed JSON, not checked yet. */
  readonly data: unknown;
}

interface Following {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told each time that the server begins to tell. */
  readonly onThere: () => void;
  /** Told once each time that the server has gone away, while it is waited for. */
  readonly onLost: () => void;
}

/** Goes on after what was told before, and learns from each block where that is. */
class Place {
  retryMs = RETRY_MS;
  #id: string | undefined;

  get headers(): Record<string, string> {
    return this.#id === undefined ? {} : { 'last-event-id': this.#id };
  }

  note({ id, retryMs }: EventBlock): void {
    this.#id = id ?? this.#id;
    this.retryMs = retryMs ?? this.retryMs;
  }
}

/**
 * The events of a server, over one connection after the other, until the signal ends it. Only what was there once is
 * waited for.
 * @throws ReachError SERVER_UNREACHABLE where it is not there at first, and what the server refuses
 */
export async function* followServer(
  url: URL,
  { signal, onThere, onLost }: Following,
): AsyncGenerator<FollowedEvent, void> {
  const place = new Place();
  let isThere = false;
  let wasThere = false;
  while (!signal.aborted) {
    try {
      for await (const block of remoteEvents(url, { headers: place.headers, signal })) {
        if (!isThere) onThere();
        isThere = true;
        wasThere = true;
        place.note(block);
        if (block.data !== undefined) yield { event: block.event, data: jsonOf(block.data) };
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const mayReturn = thrown instanceof ReachError && thrown.retryable;
      if (!wasThere || !mayReturn) throw thrown;
    }
    if (isThere) onLost();
    isThere = false;
    await sleep(place.retryMs, undefined, { signal }).catch(() => {});
  }
}
