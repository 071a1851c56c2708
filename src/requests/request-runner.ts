import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import type { DispatchAnswer } from '../wire/dispatch.js';
import type { EndTeller } from './end-teller.js';
import { LiveRequest } from './live-request.js';
import { recoveryOf } from './recovery.js';
import { cancelledAnswer, failedAnswer } from './request-answers.js';
import type { RequestBook } from './request-book.js';
import type { CarryOut } from './request-life.js';
import type { RequestPeers } from './request-peers.js';
import type { CountByLane, QueuedWork, WorkQueue } from './work-queue.js';

/** Asynchronous requests of a lane that are carried out at once. */
const AT_ONCE: CountByLane = { P0: 256, P1: 256, P2: 256 };

export interface RequestRunnerParts {
  readonly carryOut: CarryOut;
  readonly book: RequestBook;
  readonly teller: EndTeller;
  readonly peers: RequestPeers;
  readonly queue: WorkQueue;
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Has requests carried out: those whose callers wait at once, the others by the queue, and what a restart has found. */
export class RequestRunner {
  readonly #parts: RequestRunnerParts;
  #running = 0;
  #ended: Promise<void> | undefined;
  #drained: () => void = () => {};
  #closed: Promise<void> | undefined;

  constructor(parts: RequestRunnerParts) {
    this.#parts = parts;
  }

  /** From now on queued requests are carried out. */
  async start(): Promise<void> {
    const { queue, team } = this.#parts;
    await queue.start(team, (work) => this.#handedOver(work), AT_ONCE);
  }

  /** Goes on with one that is this process's, and that it carries out no more. Never rejects. */
  async goOn({ requestId }: Pick<QueuedWork, 'requestId'>): Promise<void> {
    const { book, report } = this.#parts;
    try {
      const found = await book.lookUp(requestId);
      if (found instanceof LiveRequest) await this.#carryOutQueued(found);
    } catch (thrown) {
      report(`The request ${requestId} cannot go on: ${asReachError(thrown).message}`);
    }
  }

  /**
   * Carries out a request whose caller waits.
   * @throws ReachError what kept it from being taken, and then it is forgotten; STORE_UNAVAILABLE
   */
  run(live: LiveRequest): Promise<DispatchAnswer> {
    this.#running += 1;
    return this.#run(live);
  }

  /** The process ends soon: no queued request is begun any more, and those that wait are left to the next start. */
  leave(): void {
    this.#closed ??= this.#parts.queue.close();
    this.#parts.book.leave();
  }

  /** Resolves when those under way have ended, or are left. */
  async close(): Promise<void> {
    this.leave();
    this.#ended ??= new Promise<void>((resolve) => {
      this.#drained = resolve;
      if (this.#running === 0) resolve();
    });
    await Promise.all([this.#closed, this.#ended]);
  }

  async #run(live: LiveRequest): Promise<DispatchAnswer> {
    const { book } = this.#parts;
    try {
      const answer = await this.#carryOut(live);
      if (!live.isOurs) return await book.answered(live);
      const ended = book.end(live, answer);
      return ended instanceof Promise ? await ended : ended;
    } catch (thrown) {
      // Another replica has taken it over, or ended it: that answer counts.
      if (!live.isOurs) return await book.answered(live);
      const error = asReachError(thrown);
      // What an agent may have been given is not forgotten; what it will answer, the next start waits for.
      const isLeft = error.code === 'CLOSED' && live.delivery?.awaitsReply;
      if (isLeft) await book.left(live);
      if (isLeft || live.isOver) throw error;
      if (live.isKept && live.delivery !== undefined) return await book.end(live, failedAnswer(live, error));
      await book.refuse(live, error);
      throw error;
    } finally {
      book.release(live);
      this.#running -= 1;
      if (this.#running === 0) this.#drained();
    }
  }

  async #handedOver({ requestId }: QueuedWork): Promise<void> {
    const { book, teller, report } = this.#parts;
    try {
      const found = await book.lookUp(requestId);
      if (found instanceof LiveRequest) await this.#carryOutQueued(found);
      else if (found !== undefined) await teller.tell(found);
    } catch (thrown) {
      report(`The request ${requestId} cannot be carried out: ${asReachError(thrown).message}`);
    }
  }

  async #carryOutQueued(live: LiveRequest): Promise<void> {
    const { book, clock, peers } = this.#parts;
    const recovery = recoveryOf(live);
    try {
      if (live.isRunning || live.isOver || peers.runsElsewhere(live)) return;
      // There is nothing to do until the reply, or its deadline.
      if (recovery.kind === 'await_reply') return;
      if (recovery.kind === 'lost') await book.end(live, failedAnswer(live, recovery.error));
      else if (clock.now() >= live.deadlineAtMs) await book.end(live, failedAnswer(live, tooLate()));
      else if (await book.take(live)) await this.#carryOutAgain(live);
    } finally {
      book.release(live);
    }
  }

  async #carryOutAgain(live: LiveRequest): Promise<void> {
    try {
      const answer = await this.#carryOut(live);
      if (live.isOurs) await this.#parts.book.end(live, answer);
    } catch (thrown) {
      // Another replica has taken it over, or ended it.
      if (!live.isOurs) return;
      const error = asReachError(thrown);
      // It is left as it is kept: the next start goes on.
      if (error.code === 'CLOSED') return await this.#parts.book.left(live);
      if (live.isOver) return;
      await this.#parts.book.end(live, failedAnswer(live, error));
    }
  }

  /** @throws ReachError as `carryOut` did, of a request that is not over */
  #carryOut(live: LiveRequest): Promise<DispatchAnswer> {
    live.isRunning = true;
    return this.#parts.carryOut(live.facts.request, live).then(
      (answer) => {
        live.isRunning = false;
        return answer;
      },
      (thrown: unknown) => {
        live.isRunning = false;
        if (live.isOver) return live.answer ?? cancelledAnswer(live);
        throw thrown;
      },
    );
  }
}

/** That a request has found nobody, or its work no end, in its time. */
export function tooLate(): ReachError {
  return new ReachError('DEADLINE_EXCEEDED', 'The deadline of the request passed before it had ended.');
}
