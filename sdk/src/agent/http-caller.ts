import type { ServerResponse } from 'node:http';
import { EventStream } from './event-stream.js';
import type { TaskEvent, Waiter } from './execution.js';
import { type HttpAnswer, sendAnswer } from './http-answer.js';
import type { WorkEstimate } from './task.js';

interface HttpCallerOptions {
  readonly deadline: number;
  readonly acceptsStream: boolean;
  /** Has the answer sent later; false where that cannot be. */
  readonly takeForLater: () => boolean;
}

/**
 * Who waits at the other end of a connection. It is answered once: with JSON; with a stream, from the first thing that
 * it is told; or with 202, where the work is taken for later before that.
 */
export class HttpCaller implements Waiter {
  readonly deadline: number;
  readonly #response: ServerResponse;
  readonly #options: HttpCallerOptions;
  readonly #gone = new AbortController();
  #stream: EventStream | undefined;

  constructor(response: ServerResponse, options: HttpCallerOptions) {
    this.deadline = options.deadline;
    this.#response = response;
    this.#options = options;
    response.once('close', () => this.#gone.abort());
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  told(event: TaskEvent, json: string): void {
    if (!this.#options.acceptsStream || this.gone.aborted) return;
    this.#stream ??= new EventStream(this.#response);
    this.#stream.send(event, json);
  }

  acknowledged({ queueRemaining, estimatedDelayMs }: WorkEstimate): void {
    if (this.#stream !== undefined || this.gone.aborted || !this.#options.takeForLater()) return;
    const body = JSON.stringify({ queue_remaining: queueRemaining, estimated_delay_ms: estimatedDelayMs });
    sendAnswer(this.#response, { status: 202, body });
    this.#gone.abort();
  }

  answer(answer: HttpAnswer): void {
    if (this.#stream === undefined) sendAnswer(this.#response, answer);
    else this.#stream.end(answer);
  }
}
