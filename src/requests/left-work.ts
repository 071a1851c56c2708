import type { Clock } from '../clock.js';
import { NOBODY_ELSE } from '../cluster/message-bus.js';
import { asReachError } from '../errors.js';
import { Rounds } from '../rounds.js';
import { SingleFlight } from '../single-flight.js';
import type { RequestBook } from './request-book.js';
import type { RequestStore } from './request-store.js';
import type { RequestsCluster } from './requests-cluster.js';
import type { LostWork, QueuedWork, WorkQueue } from './work-queue.js';

/** What a replica that died has left is looked for when it dies, and as often as this, in ms. */
const LOOKED_EVERY_MS = 30_000;
/** Which of the replicas looks after what others have left. */
const SHARE = 'left-requests';

export interface LeftWorkParts {
  readonly book: RequestBook;
  readonly store: RequestStore;
  readonly queue: WorkQueue;
  readonly cluster: RequestsCluster;
  /** Goes on here with what only this replica can. */
  readonly goOn: (work: QueuedWork) => Promise<void>;
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Finds requests that have not ended and that nobody carries out any more, and has somebody go on with them. */
export class LeftWork {
  readonly #parts: LeftWorkParts;
  readonly #looking = new SingleFlight<void>();
  readonly #rounds: Rounds;
  #stopListening: (() => void)[] = [];
  #isAsked = false;

  constructor(parts: LeftWorkParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(() => this.#lookSafely(), LOOKED_EVERY_MS, parts.clock);
  }

  /** What earlier processes have left goes on; from now on, what others leave, too. @throws ReachError STORE_UNAVAILABLE */
  async start(): Promise<void> {
    const { cluster } = this.#parts;
    await this.#look(true);
    // Where there is nobody else, nobody else leaves anything.
    if (cluster.bus === NOBODY_ELSE) return;
    const lookAgain = () => void this.#lookSafely();
    this.#stopListening = [cluster.shares.onChange(lookAgain), cluster.bus.onGap(lookAgain)];
    this.#rounds.beginLater();
  }

  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    await this.#rounds.close();
    await this.#looking.underWay?.catch(() => {});
  }

  async #lookSafely(): Promise<void> {
    this.#isAsked = true;
    try {
      // What is under way may have looked before this was asked for.
      while (this.#isAsked && !this.#rounds.isClosed)
        await this.#looking.run(() => this.#look(this.#parts.cluster.shares.owns(SHARE)));
    } catch (thrown) {
      this.#parts.report(`Left requests cannot be looked for: ${asReachError(thrown).message}`);
    }
  }

  async #look(ofAll: boolean): Promise<void> {
    const { book, store, queue, cluster, goOn, team } = this.#parts;
    this.#isAsked = false;
    const lost: LostWork[] = [];
    for (const { requestId, lane, owner } of await store.unfinished(team)) {
      if (owner === cluster.replicaId) {
        // A write that was not answered in time, and made all the same.
        if (book.inMemory(requestId) === undefined) void goOn({ requestId, lane });
      } else if (ofAll && (owner === undefined || !cluster.isLiving(owner))) {
        lost.push({ requestId, lane, lostBy: owner });
      }
    }
    await queue.restore(team, lost);
  }
}
