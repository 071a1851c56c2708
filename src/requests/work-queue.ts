import type { Lane } from '../wire/dispatch.js';

/** A request that waits to be carried out. */
export interface QueuedWork {
  readonly requestId: string;
  readonly lane: Lane;
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
   * From now on work is handed over, the oldest of a lane first, at most `atOnce` of each lane at a time. A piece is
   * done when its promise has settled.
   */
  start(team: string, carryOut: (work: QueuedWork) => Promise<void>, atOnce: CountByLane): Promise<void>;
  /** How many wait and run. */
  counts(team: string): { readonly waiting: CountByLane; readonly running: CountByLane };
  /** Nothing is handed over any more; resolves when what runs has settled. */
  close(): Promise<void>;
}
