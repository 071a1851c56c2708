import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { AgentReply } from '../wire/requests.js';
import { finalAnswerOf } from './agent-reply.js';
import { LiveRequest } from './live-request.js';
import type { Asked, Told } from './peer-messages.js';
import type { RepliedTo, ReplyTokens } from './reply-tokens.js';
import { cancelledAnswer, endedError, lateAnswer, unknownRequest } from './request-answers.js';
import type { RequestBook } from './request-book.js';
import type { Withdraw } from './request-life.js';
import type { RequestPeers } from './request-peers.js';

/** Whoever carries a request out has so long to conclude it, in ms. */
const CONCLUDED_WITHIN_MS = 2_000;

/** Another replica has so long to do what it is asked for, in ms: longer than the conclusion takes. */
const TOLD_WITHIN_MS = 3_000;
/** Tries, where a request is moved on by another replica meanwhile. */
const MOST_TRIES = 3;

export interface RequestControlParts {
  readonly book: RequestBook;
  readonly peers: RequestPeers;
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
  cancel(requestId: string): Promise<void> {
    return this.#reached(async () => liveOf(await this.#parts.book.open(requestId)), {
      elsewhere: { requestId, what: 'cancel' },
      here: (live) => this.#cancel(live),
    });
  }

  /** @throws ReachError REQUEST_UNKNOWN for a token that is not its own, REQUEST_ENDED, STORE_UNAVAILABLE */
  async reply(requestId: string, token: string, reply: AgentReply): Promise<void> {
    const { book, tokens } = this.#parts;
    const repliedTo = tokens.read(requestId, token);
    if (repliedTo === undefined) throw unknownRequest(requestId);
    const open = async () => {
      const found = await book.lookUp(requestId);
      if (found === undefined) throw endedError(requestId);
      return liveOf(found);
    };
    await this.#reached(open, {
      elsewhere: { requestId, what: 'reply', repliedTo, reply },
      here: (live) => this.#replied(live, repliedTo, reply),
    });
  }

  /** Does what another replica asks of the one that carries a request out. @throws ReachError as these do */
  async answer(asked: Asked): Promise<Told> {
    const live = this.#parts.book.inMemory(asked.requestId);
    if (!live?.isRunning || !live.isOurs || live.answer !== undefined) return { kind: 'elsewhere' };
    switch (asked.what) {
      case 'status': {
        const { state, history } = live.snapshot();
        return { kind: 'standing', state, history };
      }
      case 'cancel':
        await this.#cancel(live);
        return { kind: 'done' };
      case 'reply':
        await this.#replied(live, asked.repliedTo, asked.reply);
        return { kind: 'done' };
    }
  }

  /**
   * Reaches a request where it is carried out; where nobody does, or that replica says nothing since it died, the store
   * decides: what is written first counts.
   */
  async #reached(
    open: () => Promise<LiveRequest>,
    { elsewhere, here }: { readonly elsewhere: Asked; readonly here: (live: LiveRequest) => Promise<void> },
  ): Promise<void> {
    const { book, peers } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      const live = await open();
      try {
        if (peers.runsElsewhere(live)) {
          if ((await peers.ask(live, elsewhere, TOLD_WITHIN_MS)) !== undefined) return;
          await book.refresh(live);
        }
        return await here(live);
      } catch (thrown) {
        const isTaken = thrown instanceof ReachError && thrown.code === 'STORE_UNAVAILABLE' && !live.isOver;
        if (!isTaken || attempt === MOST_TRIES) throw thrown;
      } finally {
        book.release(live);
      }
    }
  }

  async #cancel(live: LiveRequest): Promise<void> {
    const { book, withdraw } = this.#parts;
    const { requestId, delivery, isRunning } = live;
    if (!live.cancel()) throw endedError(requestId);
    // Who carries it out knows best what was done of it.
    if (isRunning) await this.#concluded(live);
    const { state } = await book.end(live, cancelledAnswer(live));
    if (state !== 'cancelled') throw endedError(requestId);
    if (!isRunning && delivery?.awaitsReply) withdraw(requestId, delivery);
  }

  async #replied(live: LiveRequest, repliedTo: RepliedTo, reply: AgentReply): Promise<void> {
    const { book } = this.#parts;
    if (!live.mayReply(repliedTo)) throw endedError(live.requestId);
    const answer = finalAnswerOf(reply);
    if (answer === undefined) live.enter('processing', repliedTo.attempt);
    if (reply.progress !== undefined) live.progress(reply.progress);
    if (!live.isRunning) {
      if (answer === undefined) return await book.keep(live);
      const late = lateAnswer(live, answer);
      if ((await book.end(live, late)) !== late) throw endedError(live.requestId);
      return;
    }
    if (answer === undefined) return;
    live.replies.give(repliedTo.attempt, answer);
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
