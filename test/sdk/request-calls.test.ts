import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { ReachClient, type RequestEvent } from 'agent-reach-sdk';
import { describe, expect, test } from 'vitest';
import { httpServer } from '../support/local-servers.js';
import { clientOf, DECISION } from './test-client.js';

const PATIENCE = { timeout: 30_000 };

const STATUS = {
  request_id: 'q-1',
  state: 'queued',
  mode: 'async',
  history: [{ state: 'queued', at: '2026-01-01T00:00:00.000Z', node: 'n' }],
  answer: null,
  callback: { state: 'waiting', attempts: 0, last_error: null },
};

describe('a request', () => {
  test('is given with its key, budgets, repeats and checks', async () => {
    const answer = { request_id: 'q-1', state: 'cancelled', decision: null, waited_ms: 3, ticket_id: 't' };
    const { client, asked } = await clientOf(answer);
    const options = {
      requestId: 'q-1',
      deadlines: { seekMs: 1, ackMs: 2, executeMs: 3 },
      retryPolicy: { maxAttempts: 2, backoffBaseMs: 10, backoffFactor: 1 },
      checkResult: true,
    };
    const dispatched = await client.dispatch('do it', { orderId: 1 }, options);
    expect(dispatched).toEqual({
      requestId: 'q-1',
      state: 'cancelled',
      decision: null,
      waitedMs: 3,
      ticketId: 't',
    });
    expect(asked[0]?.body).toEqual({
      intent: 'do it',
      payload: { orderId: 1 },
      request_id: 'q-1',
      deadlines: { seek_ms: 1, ack_ms: 2, execute_ms: 3 },
      retry_policy: { max_attempts: 2, backoff_base_ms: 10, backoff_factor: 1 },
      check_result: true,
    });
  });

  test('that is not waited for is given with where to send its answer', async () => {
    const { client, asked } = await clientOf(STATUS, 202);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const options = { callbackUrl: 'http://127.0.0.1:9/', traceparent };
    expect(await client.dispatchLater('do it', null, options)).toMatchObject({
      requestId: 'q-1',
      callback: { lastError: null },
    });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: '/api/v1/dispatch',
        headers: { prefer: 'respond-async', traceparent },
        body: { intent: 'do it', payload: null, callback_url: 'http://127.0.0.1:9/' },
      },
    ]);
  });

  test('is looked at and cancelled by its id', async () => {
    const { client, asked } = await clientOf(STATUS);
    expect(await client.request('q:1')).toMatchObject({ requestId: 'q-1', state: 'queued' });
    expect(await client.cancel('q:1')).toMatchObject({ mode: 'async' });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/requests/q%3A1',
      'POST /api/v1/requests/q%3A1/cancel',
    ]);
  });

  test('comes with others in a batch', async () => {
    const error = { code: 'INVALID_REQUEST', detail: 'D', retryable: false, errors: [] };
    const answers = [{ request_id: 'a', result: { some_name: 1 } }, { error }, null];
    const { client, asked } = await clientOf({ state: 'completed', answers, elapsed_ms: 4 });
    const requests = [
      { intent: 'x', payload: { some_name: 1 } },
      { capabilityId: 'a/b', lane: 'P2' as const },
    ];
    const options = { mode: 'quorum' as const, quorum: 1, concurrency: 2 };
    expect(await client.batch(requests, options)).toEqual({
      state: 'completed',
      answers: [{ requestId: 'a', result: { some_name: 1 } }, { error }, null],
      elapsedMs: 4,
    });
    expect(asked).toMatchObject([
      {
        url: '/api/v1/batch',
        body: {
          requests: [
            { intent: 'x', payload: { some_name: 1 } },
            { capability_id: 'a/b', lane: 'P2' },
          ],
          mode: 'quorum',
          quorum: 1,
          concurrency: 2,
        },
      },
    ]);
  });
});

test('a conversation is read, and written on the revision that it had', async () => {
  const session = { session_id: 's', user_id: 'u', entities: { order_id: 'x' }, revision: 4, affinity: null };
  const { client, asked } = await clientOf(session);
  expect(await client.session('s 1')).toMatchObject({ sessionId: 's', entities: { order_id: 'x' } });
  const content = { userId: 'u', entities: { order_id: 'x' } };
  expect(await client.putSession('s 1', content, { ifMatch: 3 })).toMatchObject({ revision: 4 });
  expect(asked).toMatchObject([
    { method: 'GET', url: '/api/v1/sessions/s%201' },
    {
      method: 'PUT',
      url: '/api/v1/sessions/s%201',
      headers: { 'if-match': '"3"' },
      body: { user_id: 'u', entities: { order_id: 'x' } },
    },
  ]);
});

/** A server of the events of a request. */
async function eventServer() {
  const opened: { request: IncomingMessage; body: unknown; response: ServerResponse }[] = [];
  const { url } = await httpServer(async (request, response) => {
    const body = request.method === 'POST' ? await json(request) : undefined;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    opened.push({ request, body, response });
  });
  const send = (id: number, event: string, data: unknown) => {
    opened.at(-1)?.response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const isOpen = (count: number) => expect.poll(() => opened.length, PATIENCE).toBe(count);
  return { client: new ReachClient({ endpoint: url.href }), opened, send, isOpen };
}

/** Reads a stream to its end, and on the way into `seen`. */
function reading(stream: AsyncIterable<RequestEvent>) {
  const seen: RequestEvent[] = [];
  const end = (async () => {
    for await (const event of stream) seen.push(event);
  })();
  end.catch(() => undefined);
  return { seen, end, count: (n: number) => expect.poll(() => seen.length, PATIENCE).toBe(n) };
}

const ANSWER = { request_id: 'q', state: 'completed', result: { some_name: 1 }, decision: DECISION };

describe('the events of a request', () => {
  test('come with the dispatch as they happen, those of the agent untouched, and end with the answer', async () => {
    const { client, opened, send, isOpen } = await eventServer();
    const { seen, end } = reading(client.dispatchStream('do it', null, { lane: 'P0' }));
    await isOpen(1);
    expect(opened[0]?.request).toMatchObject({
      method: 'POST',
      url: '/api/v1/dispatch',
      headers: { accept: 'text/event-stream' },
    });
    expect(opened[0]?.body).toEqual({ intent: 'do it', payload: null, lane: 'P0' });
    send(1, 'state', { state: 'retry_waiting', at: 't', node: 'n' });
    send(2, 'queued', { place: 3 });
    send(3, 'progress', { rows_done: 1 });
    send(4, 'delta', 'He');
    send(5, 'unheard_of', {});
    send(6, 'lost', { count: 7 });
    send(7, 'answer', ANSWER);
    await end;
    expect(seen).toMatchObject([
      { event: 'state', id: 1, data: { state: 'retry_waiting' } },
      { event: 'queued', id: 2, data: { place: 3 } },
      { event: 'progress', id: 3, data: { rows_done: 1 } },
      { event: 'delta', id: 4, data: 'He' },
      { event: 'lost', id: 6, data: { count: 7 } },
      { event: 'answer', id: 7, data: { requestId: 'q', result: { some_name: 1 } } },
    ]);
    expect(client.address('a', 'i')).toBe(DECISION.target_address);
  });

  test('of a dispatch that break off before the answer are an error; a dispatch is not given twice', async () => {
    const { client, opened, send, isOpen } = await eventServer();
    for (const cut of [() => opened.at(-1)?.response.end(), () => opened.at(-1)?.response.destroy()]) {
      const before = opened.length;
      const { end, count } = reading(client.dispatchStream('do it'));
      await isOpen(before + 1);
      send(1, 'state', {});
      await count(1);
      cut();
      await expect(end).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE', status: undefined });
    }
    expect(opened).toHaveLength(2);
  });

  test('of a dispatch are left by its signal or by the loop, which closes the connection', async () => {
    const { client, opened, send, isOpen } = await eventServer();
    const controller = new AbortController();
    const { end, count } = reading(client.dispatchStream('do it', null, { signal: controller.signal }));
    await isOpen(1);
    send(1, 'state', {});
    await count(1);
    controller.abort();
    await end;
    await expect.poll(() => opened[0]?.response.closed, PATIENCE).toBe(true);
    const stream = client.dispatchStream('do it');
    const first = stream.next();
    await isOpen(2);
    send(1, 'state', {});
    await first;
    await stream.return(undefined);
    await expect.poll(() => opened[1]?.response.closed, PATIENCE).toBe(true);
  });

  test('are asked for by its id, and go on where they broke', async () => {
    const { client, opened, send, isOpen } = await eventServer();
    const { seen, end, count } = reading(client.requestEvents('q:1', { lastEventId: 4 }));
    await isOpen(1);
    expect(opened[0]?.request).toMatchObject({
      url: '/api/v1/requests/q%3A1/events',
      headers: { 'last-event-id': '4' },
    });
    send(5, 'delta', 'He');
    await count(1);
    opened[0]?.response.destroy();
    await isOpen(2);
    expect(opened[1]?.request.headers['last-event-id']).toBe('5');
    send(6, 'delta', 'llo');
    send(7, 'answer', ANSWER);
    await end;
    expect(seen.map(({ id }) => id)).toEqual([5, 6, 7]);
    // Nothing is asked for after the answer.
    expect(opened).toHaveLength(2);
  });

  test('that end with a problem are an error, but for the end of the service, after which they go on', async () => {
    const { client, opened, send, isOpen } = await eventServer();
    const tellProblem = (code: string, status: number) => {
      const problem = { code, detail: 'D', status, errors: [] };
      opened.at(-1)?.response.end(`event: problem\ndata: ${JSON.stringify(problem)}\n\n`);
    };
    const dispatched = reading(client.dispatchStream('do it'));
    await isOpen(1);
    tellProblem('CAPABILITY_UNKNOWN', 404);
    await expect(dispatched.end).rejects.toMatchObject({ code: 'CAPABILITY_UNKNOWN', status: 404 });
    const followed = reading(client.requestEvents('q'));
    await isOpen(2);
    tellProblem('CLOSED', 503);
    await isOpen(3);
    send(1, 'state', {});
    await followed.count(1);
    tellProblem('DEADLINE_EXCEEDED', 504);
    await expect(followed.end).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(opened).toHaveLength(3);
  });

  test('of a request that nobody knows are refused', async () => {
    const { client } = await clientOf({ code: 'REQUEST_UNKNOWN', detail: 'D', errors: [] }, 404);
    for (const stream of [client.requestEvents('q'), client.dispatchStream('do it')]) {
      await expect(stream.next()).rejects.toMatchObject({ code: 'REQUEST_UNKNOWN', status: 404 });
    }
  });
});
