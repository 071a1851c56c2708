import type { CountByLane, LostWork, QueuedWork, WorkQueue } from '../requests/work-queue.js';
import { TeamWork } from './team-work.js';

/** Well or badly, it is done: whoever carries it out tells why. */
const WHATEVER_CAME_OF_IT = () => {};

/** What is to be done, in order, where that outlives the process. */
export interface WorkList {
  /** Durable when it resolves. What is there already stays where it is. */
  add(team: string, work: QueuedWork): Promise<void>;
  remove(team: string, requestId: string): Promise<void>;
  all(team: string): Promise<QueuedWork[]>;
}

type CarryOut = (work: QueuedWork) => Promise<void>;

/**
 * The work of one process. With a list, what is there is what an earlier process has left, and is handed over first;
 * without one it is gone with the process.
 */
export class ProcessWorkQueue implements WorkQueue {
  readonly #list: WorkList | undefined;
  readonly #teams = new Map<string, TeamWork>();

  constructor(list?: WorkList) {
    this.#list = list;
  }

  async add(team: string, work: QueuedWork): Promise<void> {
    const queue = this.#team(team);
    if (queue.has(work.requestId)) return;
    queue.refuseIfFull();
    if (this.#list !== undefined) await this.#list.add(team, work);
    queue.add(work);
  }

  async restore(team: string, lost: readonly LostWork[]): Promise<void> {
    const queue = this.#team(team);
    const missing = lost.filter(({ requestId }) => !queue.has(requestId));
    await Promise.all(missing.map((work) => this.#list?.add(team, work)));
    for (const work of missing) queue.add(work);
  }

  async start(team: string, carryOut: CarryOut, atOnce: CountByLane): Promise<void> {
    const queue = this.#team(team);
    for (const work of (await this.#list?.all(team)) ?? []) queue.add(work);
    queue.start(async (work) => {
      await carryOut(work).catch(WHATEVER_CAME_OF_IT);
      await this.#list?.remove(team, work.requestId);
    }, atOnce);
  }

  counts(team: string) {
    return this.#team(team).counts();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#teams.values(), (queue) => queue.stop()));
  }

  #team(team: string): TeamWork {
    let queue = this.#teams.get(team);
    if (queue === undefined) {
      queue = new TeamWork();
      this.#teams.set(team, queue);
    }
    return queue;
  }
}
