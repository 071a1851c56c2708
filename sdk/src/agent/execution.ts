import type { KeptAnswer } from './kept-answers.js';
import { Refusal } from './refusal.js';
import type { AgentTask, WorkEstimate } from './task.js';

/** Somebody who waits for an execution to end, and what it is told until then. */
export interface Waiter {
  /** When it waits no longer; `performance.now()`. */
  readonly deadline: number;
  /** Aborted when it goes before. */
  readonly gone: AbortSignal;
  /** `json` is what the handler tells, as JSON text. */
  told(event: TaskEvent, json: string): void;
  acknowledged(estimate: WorkEstimate): void;
}

export type TaskEvent = 'progress' | 'delta';

/** What an execution gives to its handler beside the call. */
export type TaskControls = Pick<AgentTask, 'signal' | 'progress' | 'delta' | 'acknowledge'>;

/** One run of a handler and all who wait for it. When the last of them has gone, the handler's signal is aborted. */
export class Execution {
  readonly digest: string;
  readonly answer: Promise<KeptAnswer>;
  readonly #abort = new AbortController();
  readonly #waiters = new Set<Waiter>();
  #estimate: WorkEstimate | undefined;
  #ended = false;

  constructor(digest: string, run: (controls: TaskControls) => Promise<KeptAnswer>) {
    this.digest = digest;
    this.answer = run({
      signal: this.#abort.signal,
      progress: (data) => this.#tell('progress', data),
      delta: (text) => this.#tell('delta', text),
      acknowledge: (estimate = {}) => this.#acknowledge(estimate),
    });
    const end = () => {
      this.#ended = true;
    };
    this.answer.then(end, end);
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  abort(sentence: string): void {
    this.#abort.abort(new DOMException(sentence, 'AbortError'));
  }

  /**
   * The answer; undefined where the waiter has gone before. It hears what is told from now on.
   * @throws Refusal DEADLINE_EXCEEDED, and as the run
   */
  async wait(waiter: Waiter): Promise<KeptAnswer | undefined> {
    this.#waiters.add(waiter);
    if (this.#estimate !== undefined) waiter.acknowledged(this.#estimate);
    try {
      return await inTime(this.answer, waiter);
    } finally {
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0 && !this.#ended) this.#abandon(waiter);
    }
  }

  #tell(event: TaskEvent, data: unknown): void {
    const json = JSON.stringify(data) ?? 'null';
    for (const waiter of this.#waiters) waiter.told(event, json);
  }

  #acknowledge(estimate: WorkEstimate): void {
    this.#estimate = estimate;
    for (const waiter of [...this.#waiters]) waiter.acknowledged(estimate);
  }

  #abandon(last: Waiter): void {
    if (last.gone.aborted) this.abort('Nobody waits for the task any more.');
    else this.#abort.abort(new DOMException('The deadline of the task has passed.', 'TimeoutError'));
  }
}

/** Undefined where the waiter has gone before the answer came. */
function inTime(answer: Promise<KeptAnswer>, { deadline, gone }: Waiter): Promise<KeptAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
    };
    const leave = () => {
      over();
      resolve(undefined);
    };
    const late = () => {
      over();
      reject(new Refusal('DEADLINE_EXCEEDED', 'The time of the call is over, and there is no answer yet.'));
    };
    const timer = setTimeout(late, deadline - performance.now());
    gone.addEventListener('abort', leave);
    answer.finally(over).then(resolve, reject);
    if (gone.aborted) leave();
  });
}
