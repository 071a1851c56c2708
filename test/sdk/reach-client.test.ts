import type { ServerResponse } from 'node:http';
import { type ChangeEvent, type DecisionEvent, ReachClient, ReachClientError } from 'agent-reach-sdk';
import { describe, expect, test } from 'vitest';
import { httpServer, rawServer } from '../support/local-servers.js';
import { clientOf, DECISION } from './test-client.js';

const PATIENCE = { timeout: 30_000 };

describe('a call', () => {
  test('route asks in snake_case and answers in camelCase, but for what is not ours', async () => {
    const { client, asked } = await clientOf(DECISION);
    const payload = { orderId: 1, order_id: 2 };
    const options = { topK: 3, filter: { labels: { someLabel: 'x' } }, prefer: { reachabilityScore: 1 } };
    const decision = await client.route('where is it', payload, options);
    expect(asked).toMatchObject([{ method: 'POST', url: '/api/v1/route' }]);
    expect(asked[0]?.body).toEqual({
      intent: 'where is it',
      payload,
      top_k: 3,
      filter: { labels: { someLabel: 'x' } },
      prefer: { reachability_score: 1 },
    });
    expect(decision).toMatchObject({ routeId: 'r-1', addrVersion: 5, signalWeights: { views_centroid: 2 } });
    await client.route(null, undefined, { capabilityId: 'a/b' });
    expect(asked[1]?.body).toEqual({ capability_id: 'a/b' });
  });

  test('dispatch hands the trace on and gives the result as it came', async () => {
    const wire = {
      request_id: 'q',
      state: 'completed',
      result: { order_id: 1 },
      decision: DECISION,
      elapsed_ms: 3,
    };
    const { client, asked } = await clientOf(wire);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const deadlines = { executeMs: 9 };
    const answer = await client.dispatch('do it', null, { lane: 'P0', deadlines, traceparent });
    expect(asked).toMatchObject([{ url: '/api/v1/dispatch', headers: { traceparent } }]);
    expect(asked[0]?.body).toEqual({
      intent: 'do it',
      payload: null,
      lane: 'P0',
      deadlines: { execute_ms: 9 },
    });
    expect(answer).toMatchObject({ requestId: 'q', result: { order_id: 1 }, elapsedMs: 3 });
  });

  test('outcome and drain name what they are about', async () => {
    const { client, asked } = await clientOf({});
    await client.outcome('r/1', { status: 'failed', latencyMs: 7, rightCapability: 'a/b' });
    await client.drain('an-agent', 'i 1');
    expect(asked.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      {
        method: 'POST',
        url: '/api/v1/routes/r%2F1/outcome',
        body: { status: 'failed', latency_ms: 7, right_capability: 'a/b' },
      },
      { method: 'POST', url: '/api/v1/agents/an-agent/instances/i%201/drain', body: undefined },
    ]);
  });

  test('that is refused rejects with the code, the status and the faulty fields', async () => {
    const errors = [{ pointer: '/top_k', expected: 'at most 64', received: 'the number 65' }];
    const problem = {
      type: 'about:blank',
      title: 'T',
      status: 422,
      code: 'INVALID_REQUEST',
      detail: 'D',
      errors,
    };
    const { client } = await clientOf(problem, 422);
    const error = await client.route('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReachClientError);
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'D',
      status: 422,
      errors,
      retryable: false,
    });
  });

  test('that may succeed later says when', async () => {
    const { client } = await clientOf({ code: 'OVERLOADED', detail: 'D', errors: [] }, 503, {
      'retry-after': '3',
    });
    await expect(client.route('x')).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: 3_000,
      retryable: true,
    });
  });

  test('to what is no service, or to nothing, is told apart from a refusal', async () => {
    const page = await rawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>');
    });
    const code = 'SERVER_UNREACHABLE';
    await expect(new ReachClient({ endpoint: page.url.href }).route('x')).rejects.toMatchObject({
      code,
      status: 200,
    });
    const { client } = await clientOf({ error: 'what?' }, 404);
    await expect(client.route('x')).rejects.toMatchObject({ code, status: 404, retryable: false });
    await page.stop();
    const gone = new ReachClient({ endpoint: page.url.href }).route('x');
    await expect(gone).rejects.toMatchObject({ code, status: undefined, retryable: true });
    expect(() => new ReachClient({ endpoint: 'localhost:1' })).toThrow(TypeError);
  });

  test('ends with its time, or with its signal', async () => {
    const silent = await rawServer(() => {});
    const client = new ReachClient({ endpoint: silent.url.href, timeoutMs: 100 });
    await expect(client.route('x')).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', status: undefined });
    const patient = new ReachClient({ endpoint: silent.url.href });
    const reason = new Error('enough');
    await expect(patient.route('x', null, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

/** A server of one stream of events, and what it was asked for. */
async function streamServer() {
  const opened: {
    readonly url: string | undefined;
    readonly after: unknown;
    readonly response: ServerResponse;
  }[] = [];
  const { url } = await httpServer((request, response) => {
    if (request.method === 'POST') {
      request.resume();
      response.end(JSON.stringify(DECISION));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    opened.push({ url: request.url, after: request.headers['last-event-id'], response });
  });
  const send = (event: string, data: object, id = '') => {
    const last = opened.at(-1)?.response;
    last?.write(`${id && `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  return { client: new ReachClient({ endpoint: url.href }), opened, send };
}

const change = (seq: number, more: object = {}) => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  agent: 'a',
  instance: 'i',
  from: 'up',
  to: 'down',
  reason: '3 probes failed',
  addr_version: 5,
  ...more,
});

describe('a stream', () => {
  test('of changes resumes after the last one when it breaks, and tells of a gap', async () => {
    const { client, opened, send } = await streamServer();
    const controller = new AbortController();
    const options = { agent: 'a', capability: 'a/b', lastEventId: 'boot-1', signal: controller.signal };
    const seen: ChangeEvent[] = [];
    const reading = (async () => {
      for await (const event of client.changes(options)) seen.push(event);
    })();
    await expect.poll(() => opened.length, PATIENCE).toBe(1);
    expect(opened[0]).toMatchObject({ url: '/api/v1/changes?agent=a&capability=a%2Fb', after: 'boot-1' });
    send('change', change(2), 'boot-2');
    await expect.poll(() => seen.length, PATIENCE).toBe(1);
    opened[0]?.response.destroy();
    await expect.poll(() => opened.length, PATIENCE).toBe(2);
    expect(opened[1]?.after).toBe('boot-2');
    send('gap', { from_seq: 3, to_seq: 9 }, 'boot-9');
    send('change', change(10, { to: null, reason: 'left' }), 'boot-10');
    await expect.poll(() => seen.length, PATIENCE).toBe(3);
    controller.abort();
    await reading;
    expect(seen).toEqual([
      { event: 'change', id: 'boot-2', data: camel(change(2)) },
      { event: 'gap', id: 'boot-9', data: { fromSeq: 3, toSeq: 9 } },
      { event: 'change', id: 'boot-10', data: { ...camel(change(10)), to: null, reason: 'left' } },
    ]);
  });

  test('of changes that breaks before the first one goes on from where it began', async () => {
    const { client, opened, send } = await streamServer();
    const stream = client.changes();
    const first = stream.next();
    await expect.poll(() => opened.length, PATIENCE).toBe(1);
    opened[0]?.response.end('retry: 2000\nid: boot-7\n\n');
    await expect.poll(() => opened.length, PATIENCE).toBe(2);
    expect(opened[1]?.after).toBe('boot-7');
    send('change', change(8), 'boot-8');
    expect((await first).value).toMatchObject({ event: 'change', id: 'boot-8' });
    await stream.return(undefined);
  });

  test('of decisions is watched by a pattern, and tells what was lost; leaving it closes the connection', async () => {
    const { client, opened, send } = await streamServer();
    const seen: DecisionEvent[] = [];
    const reading = (async () => {
      for await (const event of client.watch({ intentPattern: '/订单 \\d+/' })) {
        seen.push(event);
        if (event.event === 'lost') break;
      }
    })();
    await expect.poll(() => opened.length, PATIENCE).toBe(1);
    expect(new URL(opened[0]?.url ?? '', 'http://a').searchParams.get('intent_pattern')).toBe('/订单 \\d+/');
    send('decision', {
      route_id: 'r',
      payload_fields: { order_id: 'string' },
      candidates: [{ excluded_by: 'x' }],
    });
    send('unheard_of', {});
    send('lost', { count: 4 });
    await reading;
    expect(seen).toEqual([
      {
        event: 'decision',
        data: { routeId: 'r', payloadFields: { order_id: 'string' }, candidates: [{ excludedBy: 'x' }] },
      },
      { event: 'lost', data: { count: 4 } },
    ]);
    await expect.poll(() => opened[0]?.response.closed, PATIENCE).toBe(true);
  });

  test('that is refused, or never was there, ends with the error', async () => {
    const { client } = await clientOf({ code: 'INVALID_REQUEST', detail: 'A slow pattern', errors: [] }, 422);
    await expect(client.watch({ intentPattern: '/(a+)+$/' }).next()).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    const gone = await rawServer(() => {});
    await gone.stop();
    const stream = new ReachClient({ endpoint: gone.url.href }).changes();
    await expect(stream.next()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});

function camel({ addr_version: addrVersion, ...rest }: ReturnType<typeof change>) {
  return { ...rest, addrVersion };
}

test('a cached address is dropped as soon as a change says that its addr_version is not the newest', async () => {
  const { client, opened, send } = await streamServer();
  const known = () => client.address('a', 'i');
  expect(known()).toBeUndefined();
  await client.route('x');
  expect(known()).toBe('http://127.0.0.1:1');

  const stream = client.changes();
  const next = stream.next();
  await expect.poll(() => opened.length, PATIENCE).toBe(1);
  send('change', change(1));
  await next;
  expect(known()).toBe('http://127.0.0.1:1');
  send('change', change(2, { addr_version: 6 }));
  await stream.next();
  expect(known()).toBeUndefined();
  // A decision that was made before the change, and comes late.
  await client.route('x');
  expect(known()).toBeUndefined();
  await stream.return(undefined);
});
