import { fromWire } from '../wire/codec.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import type { RequestEvent } from '../wire/requests.js';
import type { ServerSentEvent } from './server-sent-events.js';

/** What a request tells, up to its answer. Returns whether that came before the stream ended. */
export async function* requestEventsOf(
  stream: AsyncIterable<ServerSentEvent>,
  onAnswer: (answer: DispatchAnswer) => void,
): AsyncGenerator<RequestEvent, boolean> {
  for await (const sent of stream) {
    const told = requestEventOf(sent);
    if (told === undefined) continue;
    if (told.event === 'answer') onAnswer(told.data);
    yield told;
    if (told.event === 'answer') return true;
  }
  return false;
}

/** Undefined for what is of a later version. */
function requestEventOf({ event, data, id }: ServerSentEvent): RequestEvent | undefined {
  const value: unknown = JSON.parse(data);
  switch (event) {
    case 'state':
    case 'queued':
    case 'lost':
    case 'answer':
      return { event, id: Number(id), data: fromWire(value) } as RequestEvent;
    // These are the agent's, with names of its own.
    case 'progress':
    case 'delta':
      return { event, id: Number(id), data: value };
    default:
      return undefined;
  }
}
