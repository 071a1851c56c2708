import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../backoff.js';
import type { Problem } from '../wire/problem.js';
import type { TaskEvent, Waiter } from './execution.js';
import type { KeptAnswer } from './kept-answers.js';
import { Refusal } from './refusal.js';

export interface LateReplyOptions {
  readonly replyTo: URL;
  /** Of the call; `performance.now()`. */
  readonly deadline: number;
  /** Aborted when the agent ends. */
  readonly closing: AbortSignal;
  readonly onGivenUp: (sentence: string) => void;
}

const POST_MS = 10_000;
/** How long after the deadline a reply may still come: a service that was away needs to hear of it all the same. */
const GRACE_MS = 60_000;
/** The request has ended, or the attempt was given up: nobody waits for a reply. */
const ENDED: ReadonlySet<number> = new Set([404, 409]);
/** Refusals that another try may get past. */
const PASSING: ReadonlySet<number> = new Set([408, 429]);

/** Work that was taken for later: tells how far it is, and in the end what came of it, until that is taken. */
export class LateReply implements Waiter {
  readonly deadline: number;
  readonly #options: LateReplyOptions;
  readonly #gone = new AbortController();
  /** What is to be told next; of what comes while something is on its way, the newest. */
  #progress: string | undefined;
  #telling: Promise<void> | undefined;

  constructor(options: LateReplyOptions) {
    this.deadline = options.deadline;
    this.#options = options;
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  told(event: TaskEvent, json: string): void {
    // Pieces of a text have no place in a reply; the answer holds the whole.
    if (event === 'delta') return;
    this.#progress = json;
    this.#telling ??= this.#tellProgress();
  }

  acknowledged(): void {}

  /** Resolves when the end is told, or cannot be. */
  async deliver(answer: Promise<KeptAnswer | undefined>): Promise<void> {
    const { closing } = this.#options;
    const leave = () => this.#gone.abort();
    closing.addEventListener('abort', leave, { once: true });
    const reply = await answer.then(replyOf, failureOf);
    closing.removeEventListener('abort', leave);
    await this.#telling;
    if (reply !== undefined) await this.#untilTaken(reply);
    else if (closing.aborted) await this.#untilTaken(failed('The agent ended before the work was done.'));
  }

  async #tellProgress(): Promise<void> {
    for (let json = this.#progress; json !== undefined; json = this.#progress) {
      this.#progress = undefined;
      const status = await this.#post(`{"state":"processing","progress":${json}}`);
      if (status !== undefined && ENDED.has(status)) this.#gone.abort();
    }
    this.#telling = undefined;
  }

  async #untilTaken(reply: string): Promise<void> {
    const { closing, onGivenUp } = this.#options;
    const until = Math.max(this.deadline, performance.now()) + GRACE_MS;
    for (let failures = 1; ; failures += 1) {
      const status = await this.#post(reply);
      if (status !== undefined && (status < 300 || ENDED.has(status))) return;
      if (status !== undefined && status < 500 && !PASSING.has(status)) {
        // Such as a result that is too large. Whoever waits shall hear that there is none.
        onGivenUp(`A reply was refused with status ${status}`);
        await this.#post(failed(`The reply of the agent was refused with status ${status}.`));
        return;
      }
      if (closing.aborted || performance.now() > until) {
        onGivenUp(`A reply could not be delivered to ${this.#options.replyTo.origin}`);
        return;
      }
      await sleep(backoffMs(failures), undefined, { signal: closing }).catch(() => undefined);
    }
  }

  /** The status of the answer; undefined where none came. */
  async #post(body: string): Promise<number | undefined> {
    try {
      const { status, body: answer } = await fetch(this.#options.replyTo, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(POST_MS),
      });
      await answer?.cancel();
      return status;
    } catch {
      return undefined;
    }
  }
}

function replyOf(answer: KeptAnswer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const content: unknown = JSON.parse(answer.body.toString());
  if (answer.status === 200) return JSON.stringify({ state: 'completed', ...(content as object) });
  const { detail, errors } = content as Problem;
  return JSON.stringify({ state: 'failed', error: { detail, errors } });
}

function failureOf(error: unknown): string {
  return failed(error instanceof Refusal ? error.message : 'The agent could not compute an answer.');
}

function failed(detail: string): string {
  return JSON.stringify({ state: 'failed', error: { detail } });
}
