import { ReachError } from '../errors.js';
import type { Heartbeat } from '../wire/instances.js';
import { HeartbeatInterval } from './heartbeat-interval.js';
import type { Instance } from './instance.js';
import { refuseReplaced } from './registration.js';

/** How far an instance's clock may be ahead of ours in ms. */
const MAX_AHEAD_MS = 60_000;

/** By what a heartbeat is told from those before it. */
export interface HeartbeatOrder {
  readonly seq: number | undefined;
  readonly sentAt: number | undefined;
}

/** An instance that registered itself, with what its heartbeats have told. */
export class RegisteredInstance {
  readonly #random: () => number;
  #instance: Instance;
  #interval: HeartbeatInterval;
  #lastSeq = -1;
  #lastSentAt = 0;
  /** Wall time of the last heartbeat in ms since the epoch. */
  lastHeartbeatMs: number | undefined;

  constructor(instance: Instance, random: () => number) {
    this.#random = random;
    this.#instance = instance;
    this.#interval = new HeartbeatInterval(random);
  }

  get instance(): Instance {
    return this.#instance;
  }

  get interval(): HeartbeatInterval {
    return this.#interval;
  }

  edit(instance: Instance): void {
    this.#instance = instance;
  }

  /** Another program has its id now, which counts and moves in its own way. */
  restart(instance: Instance): void {
    this.#instance = instance;
    this.#interval = new HeartbeatInterval(this.#random);
    this.#beginOrder();
    this.lastHeartbeatMs = undefined;
  }

  /** It registered again: where it names no incarnation, its program may be another one, which counts from the start. */
  registeredAgain(): void {
    if (this.#instance.incarnation === undefined) this.#beginOrder();
  }

  /**
   * Takes a heartbeat that comes in order; one that does not is without effect. `nowMs`: wall time.
   * @throws ReachError INSTANCE_REPLACED, INSTANCE_UNKNOWN for a program that has not registered yet,
   * HEARTBEAT_STALE, INVALID_REQUEST for one from the future
   */
  take({ incarnation, seq, sentAt }: Heartbeat, nowMs: number): void {
    this.#refuseOther(incarnation);
    if (sentAt !== undefined && sentAt > nowMs + MAX_AHEAD_MS) throw fromTheFuture(sentAt - nowMs);
    if (seq !== undefined && seq <= this.#lastSeq) {
      throw stale(`its seq ${seq} is not above ${this.#lastSeq}, the last one`);
    }
    if (sentAt !== undefined && sentAt < this.#lastSentAt) {
      throw stale(`it was sent ${this.#lastSentAt - sentAt} ms before the last one`);
    }
    this.heardElsewhere({ seq, sentAt }, nowMs);
  }

  /** A heartbeat that was taken, by whomever: those before it are stale from now on. */
  heardElsewhere({ seq = -1, sentAt = 0 }: HeartbeatOrder, nowMs: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#lastSentAt = Math.max(this.#lastSentAt, sentAt);
    this.lastHeartbeatMs = nowMs;
  }

  #beginOrder(): void {
    this.#lastSeq = -1;
    this.#lastSentAt = 0;
  }

  #refuseOther(incarnation: number | undefined): void {
    refuseReplaced(this.#instance, incarnation);
    const { instanceId, incarnation: current } = this.#instance;
    if (incarnation === undefined || current === undefined || incarnation === current) return;
    const detail = `Incarnation ${incarnation} of ${instanceId} has not registered; ${current} has.`;
    throw new ReachError('INSTANCE_UNKNOWN', detail);
  }
}

function stale(why: string): ReachError {
  return new ReachError('HEARTBEAT_STALE', `The heartbeat came out of order: ${why}.`);
}

function fromTheFuture(aheadMs: number): ReachError {
  const expected = `a time at most ${MAX_AHEAD_MS / 1_000} s ahead of this clock`;
  const received = `one that is ${Math.round(aheadMs)} ms ahead`;
  const errors = [{ pointer: '/sent_at', expected, received }];
  return new ReachError('INVALID_REQUEST', `The heartbeat is from the future: ${received}.`, { errors });
}
