import { setTimeout as sleep } from 'node:timers/promises';
import { readEventBlocks } from '../../src/wire/event-blocks.js';
import type { RequestStatusWire } from '../../src/wire/requests.js';
import type { AnyReplica } from './any-replica.js';
import type { SeenOperation } from './linearizable.js';
import type { ToldEvent } from './request-client.js';
import type { SeenRequest } from './request-end-judge.js';
import type { KeyedAnswered, KeyedAsked } from './sequential-models.js';
import type { WorkCapability } from './work-manifests.js';

const A_SECOND = 100;
const MOST_WORK_MS = 200;
const EXECUTE_MS = 10_000;
/** All faults of a run one after the other, and room for a busy machine. */
const PATIENCE_MS = 180_000;
const POLL_MS = 500;
const CAPABILITIES: readonly WorkCapability[] = ['read', 'write'];
const WAYS = ['plain', 'plain', 'stream', 'later'] as const;
/** Of the keyed requests: how many are asked for twice at once, and how many under another body as well. */
const TWINS = 0.2;
const STRANGERS = 0.1;

export type KeyedOperation = SeenOperation<KeyedAsked, KeyedAnswered>;

/** What callers saw of their dispatches. */
export interface SeenDispatches {
  /** The asynchronous ones, which have a key. */
  readonly keyed: readonly SeenRequest[];
  readonly operations: readonly KeyedOperation[];
  /** How the callers that waited, without a key, were answered: by state or code, `lost` with the connection. */
  readonly waited: Readonly<Record<string, number>>;
}

/** Sends a hundred dispatches a second to any replica: in turn one that is waited for, and one that is not and has a key. */
export class ReplicaCallers {
  readonly #replicas: AnyReplica;
  readonly #agent: string;
  readonly #random: () => number;
  readonly #operations: KeyedOperation[] = [];
  readonly #waited: Record<string, number> = {};

  constructor(replicas: AnyReplica, agent: string, random: () => number) {
    this.#replicas = replicas;
    this.#agent = agent;
    this.#random = random;
  }

  /** Resolves when the last one has ended. */
  async sendFor(seconds: number): Promise<SeenDispatches> {
    const keyed: Promise<SeenRequest>[] = [];
    const waited: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let sent = 0; sent < seconds * A_SECOND; sent += 1) {
      const dueMs = (sent * 1_000) / A_SECOND - (performance.now() - startedAt);
      if (dueMs > 1) await sleep(dueMs);
      if (sent % 2 === 0) waited.push(this.#wait());
      else keyed.push(this.#askUnderKey(`kept-${sent}`));
    }
    await Promise.all(waited);
    return { keyed: await Promise.all(keyed), operations: this.#operations, waited: this.#waited };
  }

  async #wait(): Promise<void> {
    const answer = await this.#replicas.once({
      method: 'POST',
      path: '/api/v1/dispatch',
      body: this.#work(),
    });
    const how = answer === undefined ? 'lost' : String(answer.body.state ?? answer.body.code);
    this.#waited[how] = (this.#waited[how] ?? 0) + 1;
  }

  async #askUnderKey(requestId: string): Promise<SeenRequest> {
    const work = this.#work();
    const others: Promise<void>[] = [];
    if (this.#random() < TWINS) others.push(this.#twin(requestId, work));
    if (this.#random() < STRANGERS) others.push(this.#twin(requestId, { ...work, lane: 'P2' }));
    const beganAt = performance.now();
    const key = requestId;
    try {
      const body = { ...work, request_id: requestId };
      const call = {
        method: 'POST',
        path: '/api/v1/dispatch',
        headers: { prefer: 'respond-async' },
        body,
      } as const;
      const taken = await this.#replicas.until(call, PATIENCE_MS);
      const asked = { body: JSON.stringify(work) };
      if (taken.status === 409) {
        this.#operations.push({
          key,
          asked,
          answered: { kind: 'conflict' },
          beganAt,
          endedAt: performance.now(),
        });
      } else if (taken.status >= 400) {
        return { kind: 'lost', requestId, problem: `${taken.status} ${taken.body.code}` };
      }
      const status = await this.#ended(requestId);
      const endedAt = performance.now();
      if (taken.status !== 409)
        this.#operations.push({ key, asked, answered: answerOf(status.answer), beganAt, endedAt });
      return { kind: 'ended', requestId, told: undefined, status, events: await this.#events(requestId) };
    } catch (error) {
      return { kind: 'lost', requestId, problem: String(error) };
    } finally {
      await Promise.all(others);
    }
  }

  /** Somebody else who comes with the key, and waits for the answer. */
  async #twin(requestId: string, work: object): Promise<void> {
    const beganAt = performance.now();
    const body = { ...work, request_id: requestId };
    const answer = await this.#replicas.once({ method: 'POST', path: '/api/v1/dispatch', body });
    const endedAt = performance.now();
    const isConflict = answer?.body.code === 'IDEMPOTENCY_CONFLICT';
    const answered: KeyedAnswered | undefined = isConflict
      ? { kind: 'conflict' }
      : answer?.body.state === undefined
        ? undefined
        : answerOf(answer.body);
    this.#operations.push({
      key: requestId,
      asked: { body: JSON.stringify(work) },
      answered,
      beganAt,
      endedAt,
    });
  }

  async #ended(requestId: string): Promise<RequestStatusWire> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const { status, body } = await this.#replicas.until(
        { path: `/api/v1/requests/${requestId}` },
        PATIENCE_MS,
      );
      if (status !== 200) throw new Error(`it was told ${status} ${body.code}`);
      const seen = body as unknown as RequestStatusWire;
      if (seen.answer !== null) return seen;
      if (performance.now() > end) throw new Error(`it is still ${seen.state}`);
      await sleep(POLL_MS);
    }
  }

  async #events(requestId: string): Promise<ToldEvent[]> {
    for (;;) {
      try {
        return await this.#eventsOnce(requestId);
      } catch {
        await sleep(POLL_MS);
      }
    }
  }

  async #eventsOnce(requestId: string): Promise<ToldEvent[]> {
    const answer = await this.#replicas.stream(`/api/v1/requests/${requestId}/events`);
    const events: ToldEvent[] = [];
    for await (const { event, data } of readEventBlocks(answer)) {
      if (data !== undefined) events.push({ event, data: JSON.parse(data) });
    }
    return events;
  }

  #work() {
    const capability = this.#oneOf(CAPABILITIES);
    return {
      agent_name: this.#agent,
      capability_id: capability,
      payload: { work_ms: Math.round(this.#random() * MOST_WORK_MS), way: this.#oneOf(WAYS) },
      deadlines: { execute_ms: EXECUTE_MS },
    };
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

/** What an answer tells of the one execution, however often it is told. */
function answerOf(answer: unknown): KeyedAnswered {
  const { state, result, error, attempts } = answer as Record<string, unknown>;
  return { kind: 'answer', answer: JSON.stringify({ state, result, error, attempts }) };
}
