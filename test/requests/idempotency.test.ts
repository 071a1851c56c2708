import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { openStores } from '../../src/storage/open-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { answerOf, carriedOutAtOnce, deliveryTo, HeldWork, openedRequests } from './requests-fixture.js';

const ask = (payload: unknown, requestId = 'order-7') => ({
  intent: 'order it',
  payload: { payload },
  requestId,
});
const conflict = { code: 'IDEMPOTENCY_CONFLICT' };

describe.each(['memory', 'SQLite'])('a request_id, with the store in %s', (kind) => {
  const opened = async () =>
    openStores({ store: null, data: kind === 'memory' ? null : await temporaryFolder() });

  test('gives the stored answer when it comes again, and another body a conflict', async () => {
    const stores = await opened();
    const { desk, close } = await openedRequests({ carryOut: carriedOutAtOnce, stores });
    const first = await desk.dispatch(ask(1), {});
    expect(first).toMatchObject({ requestId: 'order-7', state: 'completed', result: { payload: 1 } });
    expect(await desk.dispatch(ask(1), {})).toEqual(first);
    await expect(desk.dispatch(ask(2), {})).rejects.toMatchObject(conflict);
    await close();
    // Another process, which carries nothing out.
    const again = await openedRequests({ carryOut: () => Promise.reject(new Error('twice')), stores });
    expect(await again.desk.dispatch(ask(1), {})).toEqual(first);
    expect(await again.desk.dispatchLater(ask(1), {})).toMatchObject({ mode: 'sync', answer: first });
    await expect(again.desk.dispatch(ask(2), {})).rejects.toMatchObject(conflict);
    await stores.close();
  });

  test('with another body, 100 times at once: one runs, the rest get its answer or a conflict', async () => {
    const stores = await opened();
    let ran = 0;
    const { desk } = await openedRequests({
      stores,
      carryOut: (request, life) => {
        ran += 1;
        return carriedOutAtOnce(request, life);
      },
    });
    const bodies = Array.from({ length: 100 }, (_, index) => index % 2);
    const answers = await Promise.allSettled(bodies.map((body) => desk.dispatch(ask(body), {})));
    expect(ran).toBe(1);
    for (const [index, answered] of answers.entries()) {
      if (bodies[index] === bodies[0]) {
        expect(answered).toMatchObject({ status: 'fulfilled', value: { result: { payload: bodies[0] } } });
      } else expect(answered).toMatchObject({ status: 'rejected', reason: conflict });
    }
    await stores.close();
  });
});

test('joins the one that runs, however it came', async () => {
  const work = new HeldWork();
  const { desk, start } = await openedRequests({ carryOut: work.carryOut });
  await start();
  await desk.dispatchLater(ask(1), {});
  const answers = [desk.dispatch(ask(1), {}), desk.dispatch(ask(1), {})];
  await until(() => work.isHeld('order-7'));
  expect(await desk.dispatchLater(ask(1), {})).toMatchObject({ state: 'delivered', mode: 'async' });
  work.letGo('order-7');
  expect(await Promise.all(answers)).toMatchObject([{ state: 'completed' }, { state: 'completed' }]);
  expect(work.lives).toHaveLength(1);
});

test('is free again where the request was not let in, and those who waited are told why', async () => {
  let isFull = true;
  const { desk, inquiries } = await openedRequests({
    async carryOut(request, life) {
      if (isFull) throw new ReachError('OVERLOADED', 'full', { retryAfterMs: 5 });
      return carriedOutAtOnce(request, life);
    },
  });
  const refused = { status: 'rejected', reason: { code: 'OVERLOADED', retryAfterMs: 5 } };
  const both = await Promise.allSettled([desk.dispatch(ask(1), {}), desk.dispatch(ask(1), {})]);
  expect(both).toMatchObject([refused, refused]);
  await expect(inquiries.status('order-7')).rejects.toMatchObject({ code: 'REQUEST_UNKNOWN' });
  isFull = false;
  expect(await desk.dispatch(ask(2), {})).toMatchObject({ result: { payload: 2 } });
});

test('is not free again once an agent may have been given the work', async () => {
  const { desk } = await openedRequests({
    async carryOut(_, life) {
      await life.deliver(deliveryTo());
      throw new ReachError('INTERNAL', 'a fault of ours');
    },
  });
  const failed = { state: 'failed', error: { code: 'INTERNAL' } };
  expect(await desk.dispatch(ask(1), {})).toMatchObject(failed);
  expect(await desk.dispatch(ask(1), {})).toMatchObject(failed);
});

test('nothing is kept of a request without one, and it is known as long as it runs', async () => {
  const work = new HeldWork();
  const { desk, inquiries, stores } = await openedRequests({ carryOut: work.carryOut });
  const answer = desk.dispatch({ intent: 'x' }, {});
  await until(() => work.lives.length === 1);
  const requestId = work.lives[0]?.requestId ?? '';
  expect(await inquiries.status(requestId)).toMatchObject({ state: 'delivered', mode: 'sync', answer: null });
  work.letGo(requestId);
  expect(await answer).toMatchObject({ requestId, state: 'completed' });
  await expect(inquiries.status(requestId)).rejects.toMatchObject({ code: 'REQUEST_UNKNOWN' });
  expect(await stores.requests.list('t', { limit: 10 })).toEqual([]);
});

test('an answer is told only once it is kept', async () => {
  const stores = await openStores({ store: null, data: await temporaryFolder() });
  const { desk } = await openedRequests({
    stores,
    async carryOut(_, life) {
      await life.deliver(deliveryTo());
      expect(await stores.requests.find('t', 'order-7')).toMatchObject({ state: 'delivered' });
      return answerOf(life);
    },
  });
  await desk.dispatch(ask(1), {});
  expect(await stores.requests.find('t', 'order-7')).toMatchObject({ answer: { state: 'completed' } });
  await stores.close();
});
