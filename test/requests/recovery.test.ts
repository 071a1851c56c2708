import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { CarryOut, RequestLife } from '../../src/requests/request-life.js';
import type { RequestState } from '../../src/requests/request-state.js';
import type { StoredRequest } from '../../src/requests/request-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import { ProcessWorkQueue } from '../../src/storage/process-work-queue.js';
import type { Stores } from '../../src/storage/stores.js';
import type { RequestStatus } from '../../src/wire/requests.js';
import { HandClock } from '../support/hand-clock.js';
import { until } from '../support/until.js';
import {
  answerOf,
  carriedOutAtOnce,
  deliveryTo,
  endOf,
  HeldWork,
  openedRequests,
  SEEK_MS,
} from './requests-fixture.js';
import { storedRequest } from './stored-request.js';

const DAY_MS = 86_400_000;

/** A store as a process that was killed has left it. */
async function leftBehind(...requests: readonly StoredRequest[]) {
  const stores = await openStores({ store: null, data: null });
  for (const request of requests) await stores.requests.create('t', request);
  return stores;
}

const given = (state: RequestState, more: Partial<NonNullable<StoredRequest['delivery']>> = {}) => {
  const { deadline: _, ...delivery } = deliveryTo();
  return storedRequest({ state, delivery: { ...delivery, awaitsReply: false, ...more } });
};

async function afterRestart(left: StoredRequest, carryOut: CarryOut = carriedOutAtOnce) {
  const lives: RequestLife[] = [];
  const requests = await openedRequests({
    stores: await leftBehind(left),
    carryOut(request, life) {
      lives.push(life);
      return carryOut(request, life);
    },
  });
  await requests.start();
  return { lives, ...requests };
}

describe('after a restart', () => {
  test.each(['queued', 'routing', 'retry_waiting'] as const)('what was %s goes on', async (state) => {
    const { lives, inquiries } = await afterRestart(storedRequest({ state }));
    await until(async () => (await inquiries.status('r-1')).answer !== null);
    expect(await inquiries.status('r-1')).toMatchObject({ state: 'completed' });
    expect(lives).toHaveLength(1);
  });

  test('what was delivered is repeated where that is allowed, within the deadline that it had', async () => {
    const left = given('delivered', { idempotent: true });
    const { lives, inquiries } = await afterRestart(left);
    await until(async () => (await inquiries.status('r-1')).answer !== null);
    const { state, history } = await inquiries.status('r-1');
    expect(state).toBe('completed');
    expect(history.map((entry) => entry.state)).toEqual([
      ...left.history.map((entry) => entry.state),
      'queued',
      'routing',
      'delivered',
      'completed',
    ]);
    const leftMs = (lives[0]?.earlier?.deadline ?? 0) - performance.now();
    expect(Math.abs(leftMs - (left.deadlineAtMs - Date.now()))).toBeLessThan(1_000);
  });

  test.each(['delivered', 'acknowledged', 'processing'] as const)(
    'what was %s and may not be repeated is lost with its node, and never carried out again',
    async (state) => {
      const { lives, inquiries } = await afterRestart(given(state));
      await until(async () => (await inquiries.status('r-1')).answer !== null);
      expect(await inquiries.status('r-1')).toMatchObject({
        state: 'failed',
        answer: { state: 'failed', error: { code: 'NODE_LOST', retryable: false } },
      });
      expect(lives).toEqual([]);
    },
  );

  test('what came back from an agent goes on, though it had been delivered', async () => {
    const stores = await openStores({ store: null, data: null });
    const isGone = new AbortController();
    const before = await openedRequests({
      stores,
      async carryOut(_, life) {
        await life.deliver(deliveryTo());
        life.enter('retry_waiting');
        await once(isGone.signal, 'abort');
        throw new ReachError('CLOSED', 'the process is gone');
      },
    });
    onTestFinished(() => isGone.abort());
    await before.start();
    await before.desk.dispatchLater({ intent: 'x', requestId: 'r-1' }, {});
    await until(async () => (await stores.requests.find('t', 'r-1'))?.state === 'retry_waiting');
    const left = { requests: stores.requests, work: new ProcessWorkQueue() };
    const after = await openedRequests({ stores: left, carryOut: carriedOutAtOnce });
    await after.start();
    await until(async () => (await after.inquiries.status('r-1')).answer !== null);
    expect(await after.inquiries.status('r-1')).toMatchObject({ state: 'completed' });
  });
});

describe('at the close', () => {
  test('what runs ends, what waits is left for the next start', async () => {
    const stores = await openStores({ store: null, data: null });
    const work = new HeldWork();
    const { desk, start, close } = await openedRequests({ stores, carryOut: work.carryOut });
    await start();
    for (let index = 0; index < 300; index += 1)
      await desk.dispatchLater({ intent: 'x', requestId: `r-${index}` }, {});
    await until(() => work.lives.length === 256 && work.isHeld('r-255'));
    const closed = close();
    for (let index = 0; index < 256; index += 1) work.letGo(`r-${index}`);
    await closed;
    expect(work.lives).toHaveLength(256);
    expect(await stores.requests.unfinished('t')).toHaveLength(44);
    expect(await stores.requests.list('t', { state: 'completed', limit: 300 })).toHaveLength(256);
    expect(await stores.requests.list('t', { state: 'queued', limit: 300 })).toHaveLength(44);
  });

  test('work that is refused since everything closes is left too', async () => {
    const stores = await openStores({ store: null, data: null });
    const { desk, start, close } = await openedRequests({
      stores,
      carryOut: () => Promise.reject(new ReachError('CLOSED', 'closing')),
    });
    await start();
    await desk.dispatchLater({ intent: 'x', requestId: 'r-1' }, {});
    await close();
    expect(await stores.requests.find('t', 'r-1')).toMatchObject({ state: 'queued' });
  });
});

describe('in time', () => {
  const opened = async (carryOut: CarryOut, stores?: Stores) => {
    const clock = new HandClock();
    clock.pass(1_000_000);
    return { clock, ...(await openedRequests({ carryOut, clock, ...(stores && { stores }) })) };
  };
  const statusAfter = async (
    { clock, inquiries }: Awaited<ReturnType<typeof opened>>,
    passedMs: number,
    isThere: (status: RequestStatus) => boolean,
  ) => {
    await until(async () => {
      clock.pass(passedMs);
      return isThere(await inquiries.status('r-1'));
    });
    return inquiries.status('r-1');
  };

  test('nothing that was accepted stays without an end: not what nobody carries out', async () => {
    const waiting = await opened(async (_, life) => {
      await endOf(life);
      throw new ReachError('INTERNAL', 'nobody did it');
    });
    await waiting.desk.dispatchLater({ intent: 'x', requestId: 'r-1' }, {});
    await waiting.start();
    const status = await statusAfter(waiting, SEEK_MS, ({ answer }) => answer !== null);
    expect(status).toMatchObject({ state: 'failed', answer: { error: { code: 'DEADLINE_EXCEEDED' } } });
  });

  test('one whose end cannot be kept keeps none of the others without an end', async () => {
    const stores = await openStores({ store: null, data: null });
    const { requests: store } = stores;
    const save = store.save.bind(store);
    store.save = async (team, request) => request.requestId !== 'r-1' && save(team, request);
    const waiting = await opened(async (_, life) => {
      await endOf(life);
      return answerOf(life);
    }, stores);
    for (const requestId of ['r-1', 'r-2'])
      void waiting.desk.dispatch({ intent: 'x', requestId }, {}).catch(() => {});
    await waiting.start();
    await until(async () => {
      waiting.clock.pass(SEEK_MS);
      return (await store.find('t', 'r-2'))?.answer !== undefined;
    });
    expect(waiting.reports).toContainEqual(expect.stringContaining('cannot be ended'));
  });

  test('after a day what has ended is forgotten, and not before', async () => {
    const requests = await opened(async (_, life) => answerOf(life));
    await requests.start();
    await requests.desk.dispatch({ intent: 'x', requestId: 'r-1' }, {});
    requests.clock.pass(DAY_MS - 5_000);
    await new Promise(setImmediate);
    expect(await requests.inquiries.status('r-1')).toMatchObject({ state: 'completed' });
    await until(async () => {
      requests.clock.pass(2_000);
      return requests.inquiries.status('r-1').then(
        () => false,
        ({ code }) => code === 'REQUEST_UNKNOWN',
      );
    });
  });
});
