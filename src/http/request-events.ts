import { Type } from 'typebox';
import { DispatchAnswerSchema, dispatchAnswerCodec } from '../wire/dispatch.js';
import { LostSchema } from '../wire/live.js';
import { ProblemSchema } from '../wire/problem.js';
import { type RequestEvent, StateEntrySchema } from '../wire/requests.js';
import type { HttpStream } from './http-route.js';
import { EVENT_STREAM, eventStream, eventText, type ServerSentEvent } from './server-sent-events.js';

/** What the events of a request carry, for the document. */
export const RequestEventSchema = Type.Union([
  Type.Object(StateEntrySchema.properties, { description: '`state`' }),
  Type.Object({ place: Type.Integer() }, { description: '`queued`' }),
  Type.Unknown({ description: '`progress` and `delta`, as the agent tells them' }),
  Type.Object(LostSchema.properties, { description: '`lost`' }),
  Type.Object(DispatchAnswerSchema.properties, { description: '`answer`, the last' }),
  Type.Object(ProblemSchema.properties, { description: '`problem`, the last where there is no answer' }),
]);

async function* inWireForm(events: AsyncIterable<RequestEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { event, id, data } of events) {
    yield { event, id: String(id), data: event === 'answer' ? dispatchAnswerCodec.encode(data) : data };
  }
}

/** What a request tells, as a stream. What goes wrong once that has begun is its last event. */
export function eventsOfRequest(
  events: AsyncIterable<RequestEvent>,
): Pick<HttpStream, 'contentType' | 'pieces' | 'pieceOf'> {
  return {
    contentType: EVENT_STREAM,
    pieces: eventStream(inWireForm(events)),
    pieceOf: (problem) => eventText({ event: 'problem', data: problem }),
  };
}
