import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { NOBODY_ELSE } from '../../src/cluster/message-bus.js';
import { newReplicaId } from '../../src/cluster/replica-id.js';
import { ALL_OURS } from '../../src/cluster/shares.js';
import { Lifecycle } from '../../src/lifecycle.js';
import type { Callbacks } from '../../src/requests/callbacks.js';
import { openRequests } from '../../src/requests/open-requests.js';
import type { CarryOut, Delivery, RequestLife } from '../../src/requests/request-life.js';
import type { RequestsCluster } from '../../src/requests/requests-cluster.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { Stores } from '../../src/storage/stores.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';

export const PUBLIC_URL = 'http://reach.example';
export const SEEK_MS = 10_000;
const WORK_MS = 60_000;

interface Setup {
  readonly carryOut: CarryOut;
  readonly stores?: Pick<Stores, 'requests' | 'work'>;
  readonly clock?: Clock;
  readonly callbacks?: Callbacks;
  readonly cluster?: RequestsCluster;
}

/** A process that shares its store with nobody; each time it is another one. */
export function alone(): RequestsCluster {
  const replicaId = newReplicaId();
  return { replicaId, bus: NOBODY_ELSE, shares: ALL_OURS, isLiving: (id) => id === replicaId };
}

/** The requests over stores, by default in memory, carried out as the test says. */
export async function openedRequests({
  carryOut,
  clock = systemClock,
  callbacks,
  cluster = alone(),
  ...given
}: Setup) {
  const stores = given.stores ?? (await openStores({ store: null, data: null }));
  const reports: string[] = [];
  const withdrawn: (readonly [requestId: string, instanceId: string])[] = [];
  const lifecycle = new Lifecycle((part, error) => reports.push(`${part}: ${error}`));
  const requests = await openRequests({
    carryOut,
    withdraw: (requestId, { instanceId }) => withdrawn.push([requestId, instanceId]),
    stores,
    cluster,
    seekBudgetMs: () => SEEK_MS,
    callbacks,
    publicUrl: () => PUBLIC_URL,
    team: 't',
    clock,
    lifecycle,
    report: (message) => reports.push(message),
  });
  const close = () => lifecycle.close();
  onTestFinished(close);
  return { ...requests, stores, reports, withdrawn, close };
}

/** What an agent's work came to. */
export function answerOf(life: RequestLife, more: Partial<DispatchAnswer> = {}): DispatchAnswer {
  const { requestId } = life;
  const nothing = { degraded: false, decision: null, attempts: [], waitedMs: 0, elapsedMs: 1 };
  return { requestId, state: 'completed', ...nothing, ...more };
}

export const deliveryTo = (attempt = 1, more: Partial<Delivery> = {}): Delivery => ({
  attempt,
  agentName: 'reports',
  instanceId: 'a',
  capabilityId: 'weekly',
  idempotent: false,
  deadline: performance.now() + WORK_MS,
  ...more,
});

/** Takes the way that most requests take. */
export const carriedOutAtOnce: CarryOut = async (request, life) => {
  life.enter('routing');
  await life.deliver(deliveryTo());
  return answerOf(life, { result: request.payload });
};

/** Work that the test lets go on when it wants to; until then it waits, or is cancelled. */
export class HeldWork {
  readonly lives: RequestLife[] = [];
  readonly #held = new Map<string, () => void>();

  readonly carryOut: CarryOut = async (request, life) => {
    this.lives.push(life);
    life.enter('routing');
    await life.deliver(deliveryTo());
    await new Promise<void>((resolve) => {
      this.#held.set(life.requestId, resolve);
      life.signal?.addEventListener('abort', () => resolve());
    });
    return answerOf(life, life.signal?.aborted ? { state: 'cancelled' } : { result: request.payload });
  };

  letGo(requestId: string): void {
    this.#held.get(requestId)?.();
  }

  isHeld(requestId: string): boolean {
    return this.#held.has(requestId);
  }
}

/** Resolves when a request is cancelled, or ended from outside. */
export function endOf({ signal }: Pick<RequestLife, 'signal'>): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}
