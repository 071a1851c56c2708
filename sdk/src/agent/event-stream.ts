import type { ServerResponse } from 'node:http';
import type { TaskEvent } from './execution.js';
import type { HttpAnswer } from './http-answer.js';

/** What is larger is no event for anybody: a service takes it for nonsense. */
const MAX_EVENT_CHARS = 1_048_576;
/** A reader that lets more than this wait misses what comes on top, until it has read on. */
const MAX_WAITING_BYTES = 1_048_576;

/** An answer as a stream of events, which begins with the first of them. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  }

  /** `json` has no line end, as JSON text that was made from a value. */
  send(event: TaskEvent, json: string): void {
    const isTooMuch = json.length > MAX_EVENT_CHARS || this.#response.writableLength > MAX_WAITING_BYTES;
    if (!isTooMuch) this.#response.write(blockOf(event, json));
  }

  end({ status, body }: HttpAnswer): void {
    if (status === 200) {
      this.#response.end(blockOf('result', body.toString()));
      return;
    }
    const { detail } = JSON.parse(body.toString()) as { readonly detail: string };
    this.#response.end(blockOf('error', JSON.stringify({ detail })));
  }
}

function blockOf(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}
