import type { Clock } from '../clock.js';
import type { HttpOutcome } from '../net/http-outcome.js';
import { type EventBlock, EventBlockReader } from '../wire/event-blocks.js';
import { complaintOf } from './agent-complaint.js';
import type { CallListener, FinalAnswer } from './agent-transport.js';
import { readJson, readJsonObject } from './answer-body.js';
import { failed, failureAnswer, notUnderstood } from './failure-answer.js';
import { readResult } from './read-result.js';

/** The largest `progress` or `delta`; a result may be as large as the whole answer. */
const EVENT_CHARS = 1_048_576;
/** What an agent has to end its stream after the result, so that the connection can be used again. */
const END_MS = 1_000;

interface Stream {
  readonly listener: CallListener;
  readonly clock: Clock;
  /** From the head to the first event. */
  readonly ackMs: number;
  /** The most that the connection lets through: an event cannot be longer. */
  readonly maxChars: number;
  /** Told once what the call comes to. */
  readonly settle: (answer: FinalAnswer) => void;
  /** Ends the stream from our side. */
  readonly close: () => void;
}

function readCompleted(data: string): FinalAnswer {
  const body = readJsonObject(data, 'a result');
  return body.kind === 'read' ? readResult(body.value) : notUnderstood(`the agent sent ${body.fault}`);
}

function readFailed(data: string): FinalAnswer {
  const body = readJsonObject(data, 'an error');
  if (body.kind === 'unreadable') return notUnderstood(`the agent sent ${body.fault}`);
  const { detail } = complaintOf(body.value);
  const said = detail === undefined ? '' : `: ${detail}`;
  return failed('AGENT_FAILED', `the agent failed at its work${said}`, { mayHaveExecuted: true });
}

/** An answer that comes as a stream of events: `progress` and `delta` are passed on, `result` or `error` ends it. */
export class EventStreamAnswer {
  readonly #stream: Stream;
  readonly #blocks: EventBlockReader;
  #cancelTimer: () => void;
  #acknowledged = false;
  #ended = false;

  constructor(stream: Stream) {
    this.#stream = stream;
    this.#blocks = new EventBlockReader(stream.maxChars);
    this.#cancelTimer = stream.clock.after(stream.ackMs, () => this.#giveUpWaiting());
  }

  read(chunk: Buffer): void {
    // What an agent says after its result is not listened to.
    if (this.#ended) return;
    for (const block of this.#blocks.read(chunk)) {
      const answer = this.#take(block);
      if (answer === undefined) continue;
      this.#end(answer);
      return;
    }
  }

  /** Nothing more comes: the request is over. */
  over(outcome: HttpOutcome): void {
    this.#end(
      outcome.kind === 'failed'
        ? failureAnswer(outcome)
        : notUnderstood('the agent ended its stream of events without a result'),
    );
    this.#cancelTimer();
  }

  /** What an event ends the stream with; undefined where it goes on. Comments and unknown events tell nothing. */
  #take({ event, data }: EventBlock): FinalAnswer | undefined {
    if (data === undefined) return undefined;
    switch (event) {
      case 'progress':
      case 'delta':
        this.#acknowledge();
        return this.#passOn(event, data);
      case 'result':
        this.#acknowledge();
        return readCompleted(data);
      case 'error':
        this.#acknowledge();
        return readFailed(data);
      default:
        return undefined;
    }
  }

  #passOn(event: 'progress' | 'delta', data: string): FinalAnswer | undefined {
    if (data.length > EVENT_CHARS) {
      return notUnderstood(`the agent sent a ${event} of more than ${EVENT_CHARS} characters`);
    }
    const json = readJson(data, `a ${event}`);
    if (json.kind === 'unreadable') return notUnderstood(`the agent sent ${json.fault}`);
    this.#stream.listener[event](json.value);
    return undefined;
  }

  #acknowledge(): void {
    if (this.#acknowledged) return;
    this.#acknowledged = true;
    this.#cancelTimer();
    this.#stream.listener.acknowledged();
  }

  #giveUpWaiting(): void {
    this.#end({
      kind: 'timeout',
      code: 'DEADLINE_EXCEEDED',
      detail: `no event within ${Math.round(this.#stream.ackMs)} ms of the head of the stream`,
      unreached: false,
      mayHaveExecuted: true,
      retryAfterMs: undefined,
    });
  }

  #end(answer: FinalAnswer): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelTimer();
    this.#stream.settle(answer);
    if (answer.kind === 'completed') this.#cancelTimer = this.#stream.clock.after(END_MS, this.#stream.close);
    else this.#stream.close();
  }
}
