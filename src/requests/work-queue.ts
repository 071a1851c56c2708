import type { Lane } from '../wire/dispatch.js';

/** A request that waits to be carried out. */
export interface QueuedWork {
  readonly requestId: string;
  readonly lane: Lane;
}

/** One that was handed over to a process which lives no more, whatever became of it there; or that nobody has. */
export interface LostWork extends QueuedWork {
  /** That process. */
  readonly lostBy: string | undefined;
}

export type CountByLane = Readonly<Record<Lane, number>>;

/**
 * The asynchronous requests that wait to be carried out. A port; `storage/` implements it. Each is handed over to one
 * process at a time, and to another one where that process died: how far it was is to be seen in its request.
 */
export interface WorkQueue {
  /**
   * Durable when it resolves. What is there already is not added again.
   * @throws ReachError OVERLOADED where 100,000 wait, STORE_UNAVAILABLE
   */
  add(team: string, work: QueuedWork): Promise<void>;
  /**
   * Adds what is not there, however much waits, and what was lost by a process, once for each. It may have been handed
   * over already: whoever carries it out looks.
   * @throws ReachError STORE_UNAVAILABLE
   */
  restore(team: string, work: readonly LostWork[]): Promise<void>;
  /**
   * From now on work is handed over, the oldest of a lane first, at most `atOnce` of each lane at a time. A piece is
   * done when its promise has settled.
   */
  start(team: string, carryOut: (work: QueuedWork) => Promise<void>, atOnce: CountByLane): Promise<void>;
  /** How many wait and run: of all processes that share the queue, as they were counted a moment ago. */
  counts(team: string): { readonly waiting: CountByLane; readonly running: CountByLane };
  /** Nothing is handed over any more; resolves when what runs has settled. */
  close(): Promise<void>;
}
