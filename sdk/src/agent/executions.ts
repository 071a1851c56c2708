import { createHash } from 'node:crypto';
import { Execution, type TaskControls, type Waiter } from './execution.js';
import { type KeptAnswer, KeptAnswers } from './kept-answers.js';
import type { TaskCall } from './read-task.js';
import { Refusal } from './refusal.js';
import { type AgentTask, type Handler, PayloadError, type TaskAnswer, taskAnswerOf } from './task.js';
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

/** Carries calls out, each request id once: who asks again joins what runs, or gets the answer that is kept. */
export class Executions {
  readonly #options: ExecutionsOptions;
  readonly #running = new Map<string, Execution>();
  readonly #kept = new KeptAnswers();

  constructor(options: ExecutionsOptions) {
    this.#options = options;
  }

  /** How many are under way. */
  get pending(): number {
    return this.#running.size;
  }

  /**
   * The answer of a call; undefined where `waiter` has gone before. `refused` is why nothing new may begin; what runs
   * and what is kept is given all the same. Results and refusals of the payload are kept; what failed is tried again
   * when it is asked for again, and what was aborted once it has ended.
   * @throws Refusal
   */
  async execute(
    call: TaskCall,
    waiter: Waiter,
    refused: Refusal | undefined,
  ): Promise<KeptAnswer | undefined> {
    const digest = digestOf(call);
    const known = this.#running.get(call.requestId) ?? this.#kept.get(call.requestId);
    if (known !== undefined && known.digest !== digest) {
      throw new Refusal(
        'IDEMPOTENCY_CONFLICT',
        `The request ${call.requestId} came before with another body.`,
      );
    }
    if (known !== undefined && 'body' in known) return known;
    const execution = known ?? this.#begin(call, digest, refused);
    if (!execution.aborted) return execution.wait(waiter);
    try {
      return await execution.wait(waiter);
    } catch (error) {
      // Others gave it up, which is no answer for who comes now.
      if (error instanceof Refusal && error.code === 'INTERNAL') return this.execute(call, waiter, refused);
      throw error;
    }
  }

  /** Tells the handler of a request that its result is not wanted any more; false where none of that id runs. */
  cancel(requestId: string): boolean {
    const execution = this.#running.get(requestId);
    execution?.abort('The request was cancelled.');
    return execution !== undefined;
  }

  /** Tells all handlers that the agent ends. */
  abort(): void {
    for (const execution of this.#running.values()) execution.abort('The agent is shutting down.');
  }

  #begin(call: TaskCall, digest: string, refused: Refusal | undefined): Execution {
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
    const execution = new Execution(digest, (controls) => this.#run(handler, call, controls, digest));
    this.#running.set(call.requestId, execution);
    this.#options.onPending(this.#running.size);
    const end = this.#options.work.begin();
    const ended = () => {
      this.#running.delete(call.requestId);
      this.#options.onPending(this.#running.size);
      end();
    };
    execution.answer.then(ended, ended);
    return execution;
  }

  async #run(handler: Handler, call: TaskCall, controls: TaskControls, digest: string): Promise<KeptAnswer> {
    // Only after a turn, so that the execution is known before its handler may block.
    await Promise.resolve();
    const answer = await this.#answerOf(handler, { ...call, ...controls }, digest);
    this.#kept.keep(call.requestId, answer);
    return answer;
  }

  async #answerOf(handler: Handler, task: AgentTask, digest: string): Promise<KeptAnswer> {
    try {
      return { digest, status: 200, body: bytesOf(taskAnswerOf(await handler(task))) };
    } catch (error) {
      if (error instanceof PayloadError) {
        const code = error.status === 400 ? 'MALFORMED_REQUEST' : 'PAYLOAD_INVALID';
        const { problem } = new Refusal(code, error.message, { errors: error.errors });
        return { digest, status: error.status, body: Buffer.from(JSON.stringify(problem)) };
      }
      // What is thrown after an abort is how a handler ends then.
      if (!task.signal.aborted) this.#options.onFailure(task.capabilityId, error);
      throw new Refusal('INTERNAL', 'The agent could not compute an answer.');
    }
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
