import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.js';
import { ReachError } from '../errors.js';
import { type EventBlock, readEventBlocks } from '../wire/event-blocks.js';
import { jsonOf, noServer, refusalOf, textOf } from './remote-answer.js';

/** A server says something every 15 s, if only that it is there. */
const SILENCE_MS = 45_000;
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

/** The bytes of one connection. @throws ReachError SERVER_UNREACHABLE, and what the server answers */
async function* bytesOf(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const silence = new AbortController();
  const listen = () => systemClock.after(SILENCE_MS, () => silence.abort());
  let heard = listen();
  try {
    const ends = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(url, { headers, signal: ends });
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) throw refusalOf(url, jsonOf(await textOf(response)));
    if (!type.startsWith('text/event-stream')) throw noServer(url);
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      heard();
      yield part;
      heard = listen();
    }
  } catch (cause) {
    if (cause instanceof ReachError) throw cause;
    throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} cannot be reached.`, { cause });
  } finally {
    heard();
  }
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
      for await (const block of readEventBlocks(bytesOf(url, place.headers, signal))) {
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
