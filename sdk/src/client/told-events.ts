import { errorOfProblem } from './reach-client-error.js';
import { type EventBlock, readBlocks, type ServerSentEvent } from './server-sent-events.js';

/** The events of one stream, as they come. @throws ReachClientError that the stream tells of */
export async function* toldEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  for await (const block of readBlocks(chunks)) {
    const told = toldEvent(block);
    if (told !== undefined) yield told;
  }
}

/**
 * The event in a block; undefined where there is none.
 * @throws ReachClientError where it is `problem`: what went wrong once the stream had begun
 */
export function toldEvent({ event, id, data }: EventBlock): ServerSentEvent | undefined {
  if (data === undefined) return undefined;
  const problem = event === 'problem' ? errorOfProblem(JSON.parse(data)) : undefined;
  if (problem !== undefined) throw problem;
  return { event, id, data };
}
