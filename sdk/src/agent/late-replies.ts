import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentLogger } from './agent-logger.js';
import type { Waiter } from './execution.js';
import type { KeptAnswer } from './kept-answers.js';
import { LateReply } from './late-reply.js';
import type { WorkCount } from './work-count.js';

/** Work that is taken for later at most; on top of it callers wait. */
const MAX_REPLIES = 1_000;
/** How long an agent that ends takes for telling so. */
const FAREWELL_MS = 2_000;

/** The replies that an agent owes. */
export class LateReplies {
  readonly #work: WorkCount;
  readonly #logger: AgentLogger;
  readonly #closing = new AbortController();
  readonly #owed = new Set<Promise<void>>();

  constructor(work: WorkCount, logger: AgentLogger) {
    this.#work = work;
    this.#logger = logger;
  }

  /** False where too many are owed already, or the agent ends. `wait` is called at once. */
  owe(replyTo: URL, deadline: number, wait: (waiter: Waiter) => Promise<KeptAnswer | undefined>): boolean {
    if (this.#owed.size >= MAX_REPLIES || this.#closing.signal.aborted) return false;
    const reply = new LateReply({
      replyTo,
      deadline,
      closing: this.#closing.signal,
      onGivenUp: (sentence) => this.#logger.warn(sentence),
    });
    const end = this.#work.begin();
    const delivered = reply.deliver(wait(reply)).finally(() => {
      this.#owed.delete(delivered);
      end();
    });
    this.#owed.add(delivered);
    return true;
  }

  /** Tells of what is not done that it will not be, in one try each. */
  async close(): Promise<void> {
    this.#closing.abort();
    const limit = new AbortController();
    const late = sleep(FAREWELL_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#owed), late]);
    limit.abort();
  }
}
