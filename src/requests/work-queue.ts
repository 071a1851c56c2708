import type { Lane } from '../wire/dispatch.js';

/** A request that waits to be carried out. */
export interface QueuedWork {
  readonly requestId: string;
  readonly lane: Lane;
}

export type CountByLane = Readonly<Record<Lane, number>>;

/**
 * The asynchronous requests that wait to be carried out. A port; `storage/` implements it. Each is handed over to one
 * process at a time, and again to another where that process died.
 */
export interface WorkQueue {
  /**
   * Durable when it resolves. What is there already is not added again.
   * @throws ReachError OVERLOADED where too many wait
   */
  add(team: string, work: QueuedWork): Promise<void>;
  /**
   * From now on work is handed over, the oldest of a lane first, at most `atOnce` of each lane at a time. A piece is
   * done when its promise has settled. `again`: it was handed over before, and that process is gone.
   */
  start(
    team: string,
    carryOut: (work: QueuedWork, again: boolean) => Promise<void>,
    atOnce: CountByLane,
  ): Promise<void>;
  /** How many wait and run. */
  counts(team: string): Promise<{ readonly waiting: CountByLane; readonly running: CountByLane }>;
  /** Nothing is handed over any more; resolves when what runs has settled. */
  close(): Promise<void>;
}
