import { expect, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import type { DispatchRequest } from '../../src/wire/dispatch.js';
import { setUp } from '../support/dispatching.js';
import { httpServer } from '../support/local-servers.js';
import { until } from '../support/until.js';
import { openedRequests } from './requests-fixture.js';

/** Far longer than a test may take: whatever waits for the end of one of these, waits in vain. */
const LONG = { seekMs: 3_600_000, executeMs: 3_600_000 };
const later = (requestId: string, more: Partial<DispatchRequest> = {}) => ({
  intent: 'x',
  requestId,
  deadlines: LONG,
  ...more,
});

/** Requests that are carried out over HTTP, by an agent that takes one at a time and answers as it is told to. */
async function opened() {
  const held: (() => void)[] = [];
  const cancelled: string[] = [];
  let status = 200;
  const agent = await httpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.url === '/cancel') cancelled.push(JSON.parse(body).request_id);
    const answer = () =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"result":1}');
    if (status === 200 && request.url !== '/cancel') held.push(answer);
    else answer();
  });
  const { dispatcher } = setUp({ instances: [agent.url], manifest: { maxConcurrency: 1 } });
  const stores = await openStores({ store: null, data: null });
  const requests = await openedRequests({
    stores,
    carryOut: (request, life) => dispatcher.dispatch(request, life),
  });
  await requests.start();
  const isIn = (requestId: string, state: string) =>
    until(async () => (await requests.inquiries.status(requestId)).state === state);
  const answerWith = (code: number) => {
    status = code;
  };
  return { ...requests, stores, dispatcher, held, cancelled, isIn, answerWith };
}

test('a close ends at once what waits for a slot, which is kept as it stands, and lets an agent end', async () => {
  const { desk, close, stores, dispatcher, held } = await opened();
  await desk.dispatchLater(later('r-1'), {});
  await until(() => held.length === 1);
  await desk.dispatchLater(later('r-2'), {});
  await until(() => dispatcher.queues()[0]?.waiting.P1 === 1);
  const closed = close();
  await until(() => dispatcher.queues()[0]?.waiting.P1 === 0);
  held[0]?.();
  await closed;
  expect(held).toHaveLength(1);
  expect(await stores.requests.find('t', 'r-1')).toMatchObject({ state: 'completed' });
  expect(await stores.requests.find('t', 'r-2')).toMatchObject({ state: 'queued', delivery: undefined });
});

test('a close leaves what waits to be tried again, so that it goes on with the next start', async () => {
  const { desk, close, stores, isIn, answerWith } = await opened();
  answerWith(503);
  const retryPolicy = { maxAttempts: 10, backoffBaseMs: 60_000, backoffFactor: 10 };
  await desk.dispatchLater(later('r-1', { retryPolicy }), {});
  await isIn('r-1', 'retry_waiting');
  await close();
  expect(await stores.requests.find('t', 'r-1')).toMatchObject({ state: 'retry_waiting' });
});

test('who waits at a close for work that an agent took for later is told that the next start goes on with it', async () => {
  const { desk, close, stores, isIn, answerWith, cancelled } = await opened();
  answerWith(202);
  const first = desk.dispatch(later('r-1'), {});
  await isIn('r-1', 'acknowledged');
  const twin = desk.dispatch(later('r-1'), {});
  const waiting = expect(Promise.allSettled([first, twin])).resolves.toMatchObject([
    { reason: { code: 'CLOSED' } },
    { reason: { code: 'CLOSED' } },
  ]);
  await close();
  await waiting;
  expect(await stores.requests.find('t', 'r-1')).toMatchObject({
    state: 'acknowledged',
    delivery: { awaitsReply: true },
  });
  expect(cancelled).toEqual([]);
});

test('what is not kept and waits at a close for an answer that cannot come any more is cancelled', async () => {
  const { desk, close, cancelled, dispatcher, answerWith } = await opened();
  answerWith(202);
  const { requestId: _, ...unkept } = later('');
  const answer = desk.dispatch(unkept, {});
  await until(() => dispatcher.queues()[0]?.instances[0]?.lanes.P1.used === 1);
  await close();
  const { state, requestId } = await answer;
  expect(state).toBe('cancelled');
  await until(() => cancelled.includes(requestId));
});
