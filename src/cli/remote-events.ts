import { type EventBlock, readEventBlocks } from '../wire/event-blocks.js';
import { remoteBytes } from './remote-bytes.js';

/** A server says something every 15 s, if only that it is there. */
const SILENCE_MS = 45_000;

/** The events of one connection to a server. @throws ReachError SERVER_UNREACHABLE, and what the server answers */
export function remoteEvents(url: URL, init: RequestInit): AsyncGenerator<EventBlock, void> {
  return readEventBlocks(remoteBytes(url, { ...init, type: 'text/event-stream', silenceMs: SILENCE_MS }));
}
