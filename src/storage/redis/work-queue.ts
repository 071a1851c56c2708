import { type Job, Queue, WaitingError, Worker } from 'bullmq';
import { ReachError } from '../../errors.js';
import type { CountByLane, LostWork, QueuedWork, WorkQueue } from '../../requests/work-queue.js';
import { RunningCalls } from '../../running-calls.js';
import { SingleFlight } from '../../single-flight.js';
import { LANES, type Lane } from '../../wire/dispatch.js';
import type { RedisClient } from './redis-client.js';
import { isConnectionFault } from './redis-errors.js';
import type { RedisLink } from './redis-link.js';
import { jobIdOf, lostJobIdOf, requestIdOf } from './work-ids.js';

/** In all lanes together. */
const MOST_WAITING = 100_000;
/** When a caller that found the queue full may come again. */
const OVERLOADED_RETRY_MS = 5_000;
/** Jobs that are asked for, or added, in one step. */
const SLICE = 250;
/** A count that is older than this is made anew behind whoever reads it, in ms. */
const COUNTED_EVERY_MS = 250;
/** A job whose replica says nothing for so long is another one's: longer than a Redis is paused, in ms. */
const LOCK_MS = 30_000;
const STALLED_EVERY_MS = 15_000;
/** How often is for the request to say, which knows its deadline. */
const MOST_STALLED = 1_000;
/** Until a worker that gets no answer is cut off at the close, in ms. */
const CLOSED_WITHIN_MS = 2_000;
/** Events that BullMQ tells of, which nobody reads. */
const KEPT_EVENTS = 100;
/** Different faults that are told. */
const MOST_FAULTS = 20;

type Counts = ReturnType<WorkQueue['counts']>;
type CarryOut = (work: QueuedWork) => Promise<void>;
const NONE: CountByLane = Object.freeze({ P0: 0, P1: 0, P2: 0 });

/** The queues of a team, one a lane. */
interface TeamQueues {
  readonly queues: Readonly<Record<Lane, Queue>>;
  readonly counting: SingleFlight<void>;
  counts: Counts;
  countedAt: number;
}

/** Work that replicas share: a lane is a queue of BullMQ, a request a job in it, which is gone once it is done. */
export class RedisWorkQueue implements WorkQueue {
  readonly #link: RedisLink;
  readonly #report: (message: string) => void;
  readonly #teams = new Map<string, TeamQueues>();
  readonly #workers: Worker[] = [];
  readonly #running = new RunningCalls();
  readonly #faults = new Set<string>();
  #isClosing = false;

  /** `report`: one sentence for the log, of what goes wrong behind the scenes, once each. */
  constructor(link: RedisLink, report: (message: string) => void) {
    this.#link = link;
    this.#report = report;
  }

  async add(team: string, { requestId, lane }: QueuedWork): Promise<void> {
    const { queues, counts } = this.#counted(team);
    const waiting = LANES.reduce((sum, each) => sum + counts.waiting[each], 0);
    if (waiting >= MOST_WAITING) {
      const detail = `${waiting} requests wait to be carried out, no more are taken.`;
      throw new ReachError('OVERLOADED', detail, { retryAfterMs: OVERLOADED_RETRY_MS });
    }
    await this.#link.ask(() => queues[lane].add('request', 0, { jobId: jobIdOf(requestId) }));
  }

  async restore(team: string, lost: readonly LostWork[]): Promise<void> {
    const { queues } = this.#team(team);
    for (const lane of LANES) {
      const ids = lost
        .filter((work) => work.lane === lane)
        .map(({ requestId, lostBy }) =>
          lostBy === undefined ? jobIdOf(requestId) : lostJobIdOf(requestId, lostBy),
        );
      for (let from = 0; from < ids.length; from += SLICE)
        await this.#addMissing(queues[lane], ids.slice(from, from + SLICE));
    }
  }

  async start(team: string, carryOut: CarryOut, atOnce: CountByLane): Promise<void> {
    this.#team(team);
    const connection = this.#link.waitingClient();
    for (const lane of LANES) {
      const worker = new Worker(queueName(lane), (job, token) => this.#carryOut(job, token, lane, carryOut), {
        connection: connection as never,
        prefix: this.#link.prefixOf(team),
        concurrency: atOnce[lane],
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_EVERY_MS,
        maxStalledCount: MOST_STALLED,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        skipVersionCheck: true,
      });
      worker.on('error', (error) => this.#failed(error));
      this.#workers.push(worker);
    }
  }

  counts(team: string): Counts {
    return this.#counted(team).counts;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = Promise.allSettled(this.#workers.map((worker) => worker.close()));
    await this.#running.ended();
    // A Redis that is away would be waited for without end: then their locks pass by themselves.
    const isClosed = await Promise.race([closed.then(() => true), later(CLOSED_WITHIN_MS)]);
    if (isClosed !== true) for (const worker of this.#workers) void worker.disconnect().catch(() => {});
    await Promise.all(Array.from(this.#teams.values(), (team) => this.#count(team)));
  }

  async #carryOut(job: Job, token: string | undefined, lane: Lane, carryOut: CarryOut): Promise<void> {
    if (this.#isClosing) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const work = { requestId: requestIdOf(job.id ?? ''), lane };
    // Well or badly, it is done: whoever carries it out tells why.
    await this.#running.track(carryOut(work).catch(() => {}));
  }

  async #addMissing(queue: Queue, ids: readonly string[]): Promise<void> {
    const keys = ids.map((id) => queue.toKey(id));
    const found = await this.#link.ask(async (client) => {
      const pipeline = client.pipeline();
      for (const key of keys) pipeline.exists(key);
      return pipeline.exec();
    }, keys);
    const missing = ids.filter((_, at) => found?.[at]?.[1] === 0);
    if (missing.length === 0) return;
    await this.#link.ask(() =>
      queue.addBulk(missing.map((jobId) => ({ name: 'request', data: 0, opts: { jobId } }))),
    );
  }

  /** The team, whose counts are made anew behind this where they are old. */
  #counted(team: string): TeamQueues {
    const found = this.#team(team);
    if (performance.now() - found.countedAt > COUNTED_EVERY_MS) void this.#count(found);
    return found;
  }

  /** Never rejects: without an answer the last counts stand. */
  #count(team: TeamQueues): Promise<void> {
    return team.counting.run(async () => {
      const keys = LANES.flatMap((lane) => [
        team.queues[lane].toKey('wait'),
        team.queues[lane].toKey('active'),
      ]);
      try {
        const found = await this.#link.ask(async (client) => {
          const pipeline = client.pipeline();
          for (const key of keys) pipeline.llen(key);
          return pipeline.exec();
        }, keys);
        const [P0w, P0r, P1w, P1r, P2w, P2r] = keys.map((_, at) => Number(found?.[at]?.[1] ?? 0));
        team.counts = {
          waiting: { P0: P0w ?? 0, P1: P1w ?? 0, P2: P2w ?? 0 },
          running: { P0: P0r ?? 0, P1: P1r ?? 0, P2: P2r ?? 0 },
        };
      } catch {
        // The link tells that Redis is away.
      }
      team.countedAt = performance.now();
    });
  }

  #failed(error: Error): void {
    // That Redis is away, the link tells.
    if (this.#isClosing || isConnectionFault(error)) return;
    const fault = error.message.replace(/\S*\d\S*/g, '…');
    if (this.#faults.has(fault) || this.#faults.size >= MOST_FAULTS) return;
    this.#faults.add(fault);
    this.#report(`The queue of requests: ${error.message}`);
  }

  #team(team: string): TeamQueues {
    let found = this.#teams.get(team);
    if (found === undefined) {
      const queueOf = (lane: Lane) => this.#queue(team, lane, this.#link.client);
      const queues = { P0: queueOf('P0'), P1: queueOf('P1'), P2: queueOf('P2') };
      const counts = { waiting: NONE, running: NONE };
      found = { queues, counting: new SingleFlight(), counts, countedAt: Number.NEGATIVE_INFINITY };
      this.#teams.set(team, found);
    }
    return found;
  }

  #queue(team: string, lane: Lane, connection: RedisClient): Queue {
    const queue = new Queue(queueName(lane), {
      connection: connection as never,
      prefix: this.#link.prefixOf(team),
      streams: { events: { maxLen: KEPT_EVENTS } },
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      skipVersionCheck: true,
    });
    // Who asks it for something is told.
    queue.on('error', () => {});
    return queue;
  }
}

const queueName = (lane: Lane) => `requests-${lane}`;

function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
