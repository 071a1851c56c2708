import { ReachError } from '../errors.js';
import type { CountByLane, QueuedWork } from '../requests/work-queue.js';
import { RunningCalls } from '../running-calls.js';
import { LANES, type Lane } from '../wire/dispatch.js';

/** In all lanes together. */
const MOST_WAITING = 100_000;
/** When a caller that found the queue full may come again. */
const OVERLOADED_RETRY_MS = 5_000;

type CarryOut = (work: QueuedWork) => Promise<void>;

/** The work of one team. */
export class TeamWork {
  readonly #waiting: Readonly<Record<Lane, QueuedWork[]>> = { P0: [], P1: [], P2: [] };
  readonly #running: Record<Lane, number> = { P0: 0, P1: 0, P2: 0 };
  readonly #known = new Set<string>();
  readonly #calls = new RunningCalls();
  #started: { readonly carryOut: CarryOut; readonly atOnce: CountByLane } | undefined;

  /** @throws ReachError OVERLOADED */
  refuseIfFull(): void {
    const waiting = LANES.reduce((sum, lane) => sum + this.#waiting[lane].length, 0);
    if (waiting >= MOST_WAITING) {
      const retry = { retryAfterMs: OVERLOADED_RETRY_MS };
      throw new ReachError(
        'OVERLOADED',
        `${waiting} requests wait to be carried out, no more are taken.`,
        retry,
      );
    }
  }

  has(requestId: string): boolean {
    return this.#known.has(requestId);
  }

  add(work: QueuedWork): void {
    if (this.has(work.requestId)) return;
    this.#known.add(work.requestId);
    this.#waiting[work.lane].push(work);
    this.#handOver(work.lane);
  }

  start(carryOut: CarryOut, atOnce: CountByLane): void {
    this.#started = { carryOut, atOnce };
    for (const lane of LANES) this.#handOver(lane);
  }

  /** Nothing is handed over any more; resolves when what runs has settled. */
  async stop(): Promise<void> {
    this.#started = undefined;
    await this.#calls.ended();
  }

  counts() {
    const { P0, P1, P2 } = this.#waiting;
    return { waiting: { P0: P0.length, P1: P1.length, P2: P2.length }, running: { ...this.#running } };
  }

  #handOver(lane: Lane): void {
    while (this.#started !== undefined && this.#running[lane] < this.#started.atOnce[lane]) {
      const work = this.#waiting[lane].shift();
      if (work === undefined) return;
      this.#running[lane] += 1;
      void this.#calls.track(this.#carryOut(work, this.#started.carryOut));
    }
  }

  async #carryOut(work: QueuedWork, carryOut: CarryOut): Promise<void> {
    try {
      await carryOut(work);
    } catch {
      // A list that cannot be changed now is read again by the next start, which sees what is done.
    } finally {
      this.#running[work.lane] -= 1;
      this.#known.delete(work.requestId);
      this.#handOver(work.lane);
    }
  }
}
