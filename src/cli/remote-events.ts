import { systemClock } from '../clock.js';
import { ReachError } from '../errors.js';
import { type EventBlock, readEventBlocks } from '../wire/event-blocks.js';
import { jsonOf, noServer, refusalOf, textOf } from './remote-answer.js';

/** A server says something every 15 s, if only that it is there. */
const SILENCE_MS = 45_000;

async function* bytesOf(url: URL, { signal, ...init }: RequestInit): AsyncGenerator<Uint8Array, void> {
  const silence = new AbortController();
  const listen = () => systemClock.after(SILENCE_MS, () => silence.abort());
  let heard = listen();
  try {
    const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await fetch(url, { ...init, signal: ends });
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

/** The events of one connection to a server. @throws ReachError SERVER_UNREACHABLE, and what the server answers */
export function remoteEvents(url: URL, init: RequestInit): AsyncGenerator<EventBlock, void> {
  return readEventBlocks(bytesOf(url, init));
}
