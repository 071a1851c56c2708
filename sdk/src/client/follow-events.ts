import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../backoff.js';
import { ReachClientError } from './reach-client-error.js';
import { readBlocks, type ServerSentEvent } from './server-sent-events.js';
import { toldEvent } from './told-events.js';

interface Following {
  /** Asks for the stream, from after this id where there is one. @throws ReachClientError */
  readonly open: (lastEventId: string | undefined) => Promise<AsyncIterable<Uint8Array>>;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The events of a stream that is asked for again when it breaks, from where it broke. The first time it must be had;
 * later only a refusal ends it, or a problem that it tells itself, but for the service's own end. Ends quietly with the
 * signal.
 * @throws ReachClientError
 */
export async function* followEvents({
  open,
  lastEventId,
  signal,
}: Following): AsyncGenerator<ServerSentEvent> {
  let id = lastEventId;
  let failures = 0;
  for (let connected = false; !signal?.aborted; ) {
    let isOpen = false;
    try {
      const chunks = await open(id);
      connected = true;
      isOpen = true;
      for await (const block of readBlocks(chunks)) {
        if (block.id !== '') id = block.id;
        const told = toldEvent(block);
        if (told === undefined) continue;
        failures = 0;
        yield told;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!connected || isLast(error, isOpen)) throw error;
    }
    failures += 1;
    await sleep(backoffMs(failures), undefined, signal && { signal }).catch(() => undefined);
  }
}

/** Whether nothing can come behind an error. One of ours that came while the stream was open is what the stream told. */
function isLast(error: unknown, isOpen: boolean): boolean {
  if (!(error instanceof ReachClientError)) return false;
  return isOpen ? error.code !== 'CLOSED' : !error.retryable;
}
