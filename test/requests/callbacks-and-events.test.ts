import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { Callbacks } from '../../src/requests/callbacks.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { RequestEvent, RequestStatus } from '../../src/wire/requests.js';
import { HandClock } from '../support/hand-clock.js';
import { until } from '../support/until.js';
import { answerOf, carriedOutAtOnce, deliveryTo, HeldWork, openedRequests } from './requests-fixture.js';

const ask = { intent: 'x', requestId: 'r-1' };
const unknown = { code: 'REQUEST_UNKNOWN' };

async function allOf(events: AsyncIterable<RequestEvent>): Promise<RequestEvent[]> {
  const all: RequestEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
const namesOf = (events: readonly RequestEvent[]) =>
  events.map((event) => (event.event === 'state' ? event.data.state : event.event));

describe('the events of a request', () => {
  test('are told while they happen, from the first state to the answer', async () => {
    const { desk } = await openedRequests({
      async carryOut(_, life) {
        life.enter('routing');
        life.enter('queued');
        life.queuedAt(2);
        await life.deliver(deliveryTo());
        life.delta('Hel');
        life.delta('lo');
        return answerOf(life, { result: 'Hello' });
      },
    });
    const { requestId, events } = await desk.dispatchStream({ intent: 'x' }, {});
    const all = await allOf(events);
    expect(namesOf(all)).toEqual([
      'queued',
      'routing',
      'queued',
      'queued',
      'delivered',
      'delta',
      'delta',
      'completed',
      'answer',
    ]);
    expect(all.at(-1)).toMatchObject({ data: { requestId, result: 'Hello' } });
  });

  test('of a request nobody knows are refused', async () => {
    const { inquiries } = await openedRequests({ carryOut: carriedOutAtOnce });
    await expect(inquiries.events('r-1', {})).rejects.toMatchObject(unknown);
    await expect(inquiries.status('r-1')).rejects.toMatchObject(unknown);
  });

  test('are there with all pieces for a minute after the end, then as states and answer', async () => {
    const clock = new HandClock();
    const { desk, inquiries } = await openedRequests({
      clock,
      async carryOut(_, life) {
        await life.deliver(deliveryTo(1, { deadline: 1_000_000 }));
        life.progress({ done: 1 });
        return answerOf(life);
      },
    });
    await desk.dispatch(ask, {});
    const told = await allOf(await inquiries.events('r-1', {}));
    expect(namesOf(told)).toEqual(['queued', 'delivered', 'progress', 'completed', 'answer']);
    expect(await allOf(await inquiries.events('r-1', { lastEventId: 3 }))).toEqual(told.slice(3));
    expect(await allOf(await inquiries.events('r-1', { lastEventId: 5 }))).toEqual([]);
    clock.pass(60_001);
    const later = await allOf(await inquiries.events('r-1', {}));
    expect(namesOf(later)).toEqual(['queued', 'delivered', 'lost', 'completed', 'answer']);
    expect(await allOf(await inquiries.events('r-1', { lastEventId: 3 }))).toEqual(told.slice(3));
  });

  test('are followed from the queue on, by several', async () => {
    const { desk, inquiries, start } = await openedRequests({ carryOut: carriedOutAtOnce });
    await desk.dispatchLater(ask, {});
    const followers = await Promise.all([inquiries.events('r-1', {}), inquiries.events('r-1', {})]);
    const all = Promise.all(followers.map(allOf));
    await start();
    for (const told of await all) expect(namesOf(told).at(-1)).toBe('answer');
  });

  test('end with the error of a request that is not let in', async () => {
    const { desk } = await openedRequests({
      carryOut: () => Promise.reject(new ReachError('OVERLOADED', 'full')),
    });
    const { events } = await desk.dispatchStream({ intent: 'x' }, {});
    await expect(allOf(events)).rejects.toMatchObject({ code: 'OVERLOADED' });
  });

  test('whoever leaves its own stream cancels; whoever only follows does not', async () => {
    const work = new HeldWork();
    const { desk, inquiries } = await openedRequests({ carryOut: work.carryOut });
    const { events } = await desk.dispatchStream(ask, {});
    await until(() => work.isHeld('r-1'));
    for await (const _ of await inquiries.events('r-1', {})) break;
    expect(await inquiries.status('r-1')).toMatchObject({ state: 'delivered' });
    for await (const _ of events) break;
    await until(async () => (await inquiries.status('r-1')).state === 'cancelled');
  });
});

describe('a callback', () => {
  class RecordingCallbacks implements Callbacks {
    readonly told: (readonly [string, RequestStatus])[] = [];
    fails = false;

    check(url: string): void {
      if (!url.startsWith('https://hooks.example/')) throw new ReachError('ADDRESS_FORBIDDEN', 'not there');
    }

    async tellEnd(url: string, request: RequestStatus): Promise<void> {
      if (this.fails) throw new ReachError('STORE_UNAVAILABLE', 'the disk is full');
      this.told.push([url, request]);
    }

    async find({ requestId }: Pick<RequestStatus, 'requestId'>) {
      const isTold = this.told.some(([, request]) => request.requestId === requestId);
      return isTold ? ({ state: 'taken', attempts: 1, lastError: null } as const) : undefined;
    }
  }
  const callbackUrl = 'https://hooks.example/x';

  test('to a forbidden address is refused before anything is kept', async () => {
    const callbacks = new RecordingCallbacks();
    const { desk, inquiries } = await openedRequests({ carryOut: carriedOutAtOnce, callbacks });
    const forbidden = { ...ask, callbackUrl: 'http://169.254.169.254/' };
    await expect(desk.dispatchLater(forbidden, {})).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    await expect(desk.dispatch(forbidden, {})).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    await expect(inquiries.status('r-1')).rejects.toMatchObject(unknown);
    const without = await openedRequests({ carryOut: carriedOutAtOnce });
    const allowed = { ...ask, callbackUrl };
    await expect(without.desk.dispatchLater(allowed, {})).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });

  test('is handed on with the request as it ended, once', async () => {
    const callbacks = new RecordingCallbacks();
    const { desk, inquiries, start } = await openedRequests({ carryOut: carriedOutAtOnce, callbacks });
    const waiting = { state: 'waiting', attempts: 0, lastError: null };
    expect(await desk.dispatchLater({ ...ask, callbackUrl }, {})).toMatchObject({ callback: waiting });
    await start();
    await until(() => callbacks.told.length === 1);
    expect(callbacks.told[0]).toMatchObject([
      callbackUrl,
      { state: 'completed', answer: { state: 'completed' } },
    ]);
    expect(await inquiries.status('r-1')).toMatchObject({ callback: { state: 'taken', attempts: 1 } });
  });

  test('that could not be handed on is handed on by the next start', async () => {
    const callbacks = new RecordingCallbacks();
    callbacks.fails = true;
    const stores = await openStores({ store: null, data: null });
    const before = await openedRequests({ stores, carryOut: carriedOutAtOnce, callbacks });
    await before.start();
    await before.desk.dispatchLater({ ...ask, callbackUrl }, {});
    await until(() => before.reports.length > 0);
    await before.close();
    callbacks.fails = false;
    const after = await openedRequests({ stores, carryOut: carriedOutAtOnce, callbacks });
    await after.start();
    await until(() => callbacks.told.length === 1);
    await until(async () => (await stores.requests.unfinished('t')).length === 0);
  });
});
