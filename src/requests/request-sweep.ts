import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { Rounds } from '../rounds.js';
import { LiveRequest } from './live-request.js';
import { failedAnswer } from './request-answers.js';
import type { RequestBook } from './request-book.js';
import type { Withdraw } from './request-life.js';
import type { RequestPeers } from './request-peers.js';
import { tooLate } from './request-runner.js';
import type { RequestStore } from './request-store.js';

const SWEPT_EVERY_MS = 1_000;
/** Whoever carries a request out ends it in time: here it is ended where that did not happen. */
const GRACE_MS = 2_000;
/** How long requests and their results are kept, in ms. */
const KEPT_MS = 86_400_000;

export interface RequestSweepParts {
  readonly book: RequestBook;
  readonly store: RequestStore;
  readonly peers: RequestPeers;
  readonly withdraw: Withdraw;
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Leaves nothing that was accepted without an end after its deadline, and nothing in the store after its time. */
export class RequestSweep {
  readonly #parts: RequestSweepParts;
  readonly #rounds: Rounds;

  constructor(parts: RequestSweepParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(() => this.sweep(), SWEPT_EVERY_MS, parts.clock);
  }

  /** From now on, until it is closed. */
  start(): void {
    this.#rounds.beginLater();
  }

  /** One round. Never rejects. */
  async sweep(): Promise<void> {
    const { book, store, team, clock, report } = this.#parts;
    const overdueMs = clock.now() - GRACE_MS;
    try {
      const due = [...book.live()].filter((live) => isDue(live, overdueMs)).map(({ requestId }) => requestId);
      const overdue = await store.overdue(team, overdueMs);
      // Where one of them cannot be ended, the others are.
      const ended = await Promise.allSettled(
        [...new Set([...due, ...overdue])].map((requestId) => this.#end(requestId, overdueMs)),
      );
      const failed = ended.filter((each) => each.status === 'rejected');
      if (failed[0] !== undefined)
        report(`Requests cannot be ended (${failed.length}): ${asReachError(failed[0].reason).message}`);
      while (!this.#rounds.isClosed && (await store.prune(team, clock.now() - KEPT_MS)));
    } catch (thrown) {
      report(`Requests cannot be looked after: ${asReachError(thrown).message}`);
    }
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #end(requestId: string, overdueMs: number): Promise<void> {
    const { book, peers, withdraw } = this.#parts;
    const found = await book.lookUp(requestId);
    if (!(found instanceof LiveRequest)) return;
    try {
      // Meanwhile it may have been delivered, and have another deadline; one that runs elsewhere is looked after there.
      if (!isDue(found, overdueMs) || peers.runsElsewhere(found)) return;
      const { delivery, isRunning, isOver } = found;
      const answer = found.answer ?? failedAnswer(found, tooLate());
      const isEndedHere = (await book.end(found, answer)) === answer;
      if (isEndedHere && !isRunning && !isOver && delivery?.awaitsReply) withdraw(requestId, delivery);
    } finally {
      book.release(found);
    }
  }
}

/** Whether it should have ended by now, or has an end that could not be kept yet. */
function isDue({ isOver, answer, deadlineAtMs }: LiveRequest, overdueMs: number): boolean {
  return (isOver && answer !== undefined) || deadlineAtMs < overdueMs;
}
