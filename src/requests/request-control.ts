import type { Clock } from '../clock.js';
import type { AgentReply } from '../wire/requests.js';
import { finalAnswerOf } from './agent-reply.js';
import { LiveRequest } from './live-request.js';
import type { ReplyTokens } from './reply-tokens.js';
import { cancelledAnswer, endedError, lateAnswer } from './request-answers.js';
import { type RequestBook, unknownRequest } from './request-book.js';
import type { Withdraw } from './request-life.js';

/** Whoever carries a request out has so long to conclude it, in ms. */
const CONCLUDED_WITHIN_MS = 2_000;

export interface RequestControlParts {
  readonly book: RequestBook;
  readonly tokens: ReplyTokens;
  readonly withdraw: Withdraw;
  readonly clock: Clock;
}

/** What reaches a request from outside while it is under way: that it is cancelled, and what its agent says late. */
export class RequestControl {
  readonly #parts: RequestControlParts;

  constructor(parts: RequestControlParts) {
    this.#parts = parts;
  }

  /** Its state is final at once. @throws ReachError REQUEST_UNKNOWN, REQUEST_ENDED, STORE_UNAVAILABLE */
  async cancel(requestId: string): Promise<void> {
    const { book, withdraw } = this.#parts;
    const live = liveOf(await book.open(requestId));
    try {
      if (!live.cancel()) throw endedError(requestId);
      // Who carries it out knows best what was done of it.
      if (live.isRunning) await this.#concluded(live);
      else if (live.delivery?.awaitsReply) withdraw(requestId, live.delivery);
      await book.end(live, cancelledAnswer(live));
    } finally {
      book.release(live);
    }
  }

  /** @throws ReachError REQUEST_UNKNOWN for a token that is not its own, REQUEST_ENDED, STORE_UNAVAILABLE */
  async reply(requestId: string, token: string, reply: AgentReply): Promise<void> {
    const { book, tokens } = this.#parts;
    const repliedTo = tokens.read(requestId, token);
    if (repliedTo === undefined) throw unknownRequest(requestId);
    const found = await book.lookUp(requestId);
    if (found === undefined) throw endedError(requestId);
    const live = liveOf(found);
    try {
      if (!live.mayReply(repliedTo)) throw endedError(requestId);
      await this.#replied(live, repliedTo.attempt, reply);
    } finally {
      book.release(live);
    }
  }

  async #replied(live: LiveRequest, attempt: number, reply: AgentReply): Promise<void> {
    const answer = finalAnswerOf(reply);
    if (answer === undefined) live.enter('processing', attempt);
    if (reply.progress !== undefined) live.progress(reply.progress);
    if (answer === undefined) return;
    if (!live.isRunning) {
      await this.#parts.book.end(live, lateAnswer(live, answer));
      return;
    }
    live.replies.give(attempt, answer);
    // An agent that is told that its answer was taken does not send it again: it is to be kept by then.
    if (live.isKept) await this.#concluded(live);
  }

  /** Resolves when its answer is there, or has been waited for long enough. */
  async #concluded(live: LiveRequest): Promise<void> {
    const answered = this.#parts.book.answered(live).catch(() => {});
    await new Promise<void>((resolve) => {
      const stopTimer = this.#parts.clock.after(CONCLUDED_WITHIN_MS, resolve);
      void answered.then(() => {
        stopTimer();
        resolve();
      });
    });
  }
}

/** @throws ReachError REQUEST_ENDED */
function liveOf(found: LiveRequest | { readonly requestId: string }): LiveRequest {
  if (found instanceof LiveRequest) return found;
  throw endedError(found.requestId);
}
