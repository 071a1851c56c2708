import { createHash } from 'node:crypto';
import { type KeptAnswer, KeptAnswers } from './kept-answers.js';
import type { TaskCall } from './read-task.js';
import { Refusal } from './refusal.js';
import { type Handler, PayloadError, type TaskAnswer, taskAnswerOf } from './task.js';
import type { WorkCount } from './work-count.js';

interface ExecutionsOptions {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly maxConcurrency: number | undefined;
  /** Told what a handler threw, which is not for callers. */
  readonly onFailure: (capabilityId: string, error: unknown) => void;
  /** Told how many executions are under way. */
  readonly onPending: (pending: number) => void;
  readonly work: WorkCount;
}

interface Running {
  readonly digest: string;
  readonly answer: Promise<KeptAnswer>;
  readonly abort: AbortController;
  /** When the last of those who wait gives up; `performance.now()`. */
  deadline: number;
  timer: NodeJS.Timeout | undefined;
}

/** Carries calls out, each request id once: who asks again joins what runs, or gets the answer that is kept. */
export class Executions {
  readonly #options: ExecutionsOptions;
  readonly #running = new Map<string, Running>();
  readonly #kept = new KeptAnswers();

  constructor(options: ExecutionsOptions) {
    this.#options = options;
  }

  /**
   * `refused` is why nothing new may begin; what runs and what is kept is given all the same. Results and refusals
   * of the payload are kept; what failed is tried again when it is asked for again.
   * @throws Refusal
   */
  async execute(call: TaskCall, refused: Refusal | undefined): Promise<KeptAnswer> {
    const digest = digestOf(call);
    const known = this.#running.get(call.requestId) ?? this.#kept.get(call.requestId);
    if (known !== undefined && known.digest !== digest) {
      throw new Refusal(
        'IDEMPOTENCY_CONFLICT',
        `The request ${call.requestId} came before with another body.`,
      );
    }
    if (known !== undefined && 'body' in known) return known;
    const running = known ?? this.#begin(call, digest, refused);
    waitUntil(running, performance.now() + call.timeoutMs);
    return inTime(running.answer, call.timeoutMs);
  }

  /** Tells all handlers that nobody waits any more. */
  abort(): void {
    for (const { abort } of this.#running.values()) abort.abort(new Error('The agent is shutting down.'));
  }

  #begin(call: TaskCall, digest: string, refused: Refusal | undefined): Running {
    const { handlers, maxConcurrency = Number.POSITIVE_INFINITY } = this.#options;
    const handler = Object.hasOwn(handlers, call.capabilityId) ? handlers[call.capabilityId] : undefined;
    if (handler === undefined) {
      throw new Refusal('CAPABILITY_UNKNOWN', `This agent has no capability ${call.capabilityId}.`);
    }
    if (refused !== undefined) throw refused;
    if (this.#running.size >= maxConcurrency) {
      throw new Refusal('AGENT_BUSY', `The agent has ${maxConcurrency} tasks, and takes no more.`, {
        retryAfterS: 1,
      });
    }
    const abort = new AbortController();
    const answer = this.#run(handler, call, abort.signal, digest);
    const running: Running = { digest, answer, abort, deadline: 0, timer: undefined };
    this.#running.set(call.requestId, running);
    this.#options.onPending(this.#running.size);
    const end = this.#options.work.begin();
    const ended = () => {
      clearTimeout(running.timer);
      this.#running.delete(call.requestId);
      this.#options.onPending(this.#running.size);
      end();
    };
    answer.then(ended, ended);
    return running;
  }

  async #run(handler: Handler, call: TaskCall, signal: AbortSignal, digest: string): Promise<KeptAnswer> {
    const answer = await this.#answerOf(handler, { ...call, signal }, digest);
    this.#kept.keep(call.requestId, answer);
    return answer;
  }

  async #answerOf(handler: Handler, task: Parameters<Handler>[0], digest: string): Promise<KeptAnswer> {
    try {
      // Only after a turn, so that the execution is known before its handler may block.
      await Promise.resolve();
      return { digest, status: 200, body: bytesOf(taskAnswerOf(await handler(task))) };
    } catch (error) {
      if (error instanceof PayloadError) {
        const code = error.status === 400 ? 'MALFORMED_REQUEST' : 'PAYLOAD_INVALID';
        const { problem } = new Refusal(code, error.message, { errors: error.errors });
        return { digest, status: error.status, body: Buffer.from(JSON.stringify(problem)) };
      }
      this.#options.onFailure(task.capabilityId, error);
      throw new Refusal('INTERNAL', 'The agent could not compute an answer.');
    }
  }
}

/** The work of an execution goes on until the last one who waits for it gives up. */
function waitUntil(running: Running, deadline: number): void {
  if (deadline <= running.deadline) return;
  running.deadline = deadline;
  clearTimeout(running.timer);
  running.timer = setTimeout(() => {
    running.abort.abort(new DOMException('The deadline of the task has passed.', 'TimeoutError'));
  }, deadline - performance.now());
}

async function inTime(answer: Promise<KeptAnswer>, timeoutMs: number): Promise<KeptAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Refusal('DEADLINE_EXCEEDED', `The agent has no answer after ${timeoutMs} ms.`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Two attempts of one request ask for the same thing; where to reply to, and how long there is, may differ. */
function digestOf({ capabilityId, intent, payload }: TaskCall): string {
  return createHash('sha256')
    .update(JSON.stringify([capabilityId, intent, payload]))
    .digest('base64');
}

function bytesOf({ result, reply, entities, needHumanHandoff }: TaskAnswer): Buffer {
  const wire = { result: result ?? null, reply, entities, need_human_handoff: needHumanHandoff };
  return Buffer.from(JSON.stringify(wire));
}
