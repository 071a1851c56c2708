import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type AgentTask, PayloadError, type ServedAgent, serveAgent } from 'agent-reach-sdk';
import { describe, expect, test } from 'vitest';
import { readAgentAnswer } from '../../src/transport/read-agent-answer.js';
import { call, heldTasks, manifestOf, PATIENCE, SILENT, testAgent, withId } from './test-agent.js';

describe('a task', () => {
  test('reaches its handler with all that the wire to an agent carries', async () => {
    const seen: AgentTask[] = [];
    const agent = await testAgent({ handlers: { echo: (task) => seen.push(task) } });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const body = {
      request_id: 'r-1',
      intent: 'say it again',
      payload: { user_name: 'x' },
      lane: 'P0',
      session: {
        session_id: 's',
        user_id: 'u',
        revision: 3,
        entities: { order_id: '20231188' },
        rounds: [{ at: 'now', intent: 'x', agent_name: 'a', capability_id: 'c', reply: 'y' }],
        summary: 'about an order',
      },
      reply_to: 'http://127.0.0.1:1/',
    };
    const headers = { 'x-reach-attempt': '2', 'x-reach-timeout-ms': '1234', traceparent };
    expect((await call(agent, body, headers)).body).toEqual({ result: 1 });
    expect(seen).toEqual([
      {
        capabilityId: 'echo',
        intent: 'say it again',
        payload: { user_name: 'x' },
        lane: 'P0',
        requestId: 'r-1',
        attempt: 2,
        timeoutMs: 1_234,
        session: {
          sessionId: 's',
          userId: 'u',
          revision: 3,
          entities: { order_id: '20231188' },
          rounds: [{ at: 'now', intent: 'x', agentName: 'a', capabilityId: 'c', reply: 'y' }],
          summary: 'about an order',
        },
        traceparent,
        signal: expect.any(AbortSignal),
        progress: expect.any(Function),
        delta: expect.any(Function),
        acknowledge: expect.any(Function),
      },
    ]);
  });

  test('of a program has no intent, and the deadline of its capability', async () => {
    const seen: AgentTask[] = [];
    const capabilities = [
      { id: 'echo', name: 'Echo', deadline_ms: 700 },
      { id: 'slow', name: 'Slow' },
    ];
    const note = (task: AgentTask) => seen.push(task);
    const agent = await testAgent({
      manifest: manifestOf({ capabilities }),
      handlers: { echo: note, slow: note },
    });
    await call(agent, { intent: null });
    await call(agent, { capability_id: 'slow', lane: 'P2' });
    await call(agent, { capability_id: 'slow' });
    expect(seen.map(({ intent, payload, timeoutMs }) => [intent, payload, timeoutMs])).toEqual([
      ['', null, 700],
      ['', null, 30_000],
      ['', null, 5_000],
    ]);
  });

  test.each([
    ['a text', 'hello', { result: 'hello' }],
    ['nothing', undefined, { result: null }],
    [
      'a whole answer',
      { result: 1, reply: 'one', entities: { order_id: 'x' }, needHumanHandoff: true },
      { result: 1, reply: 'one', entities: { order_id: 'x' }, need_human_handoff: true },
    ],
    ['a result that happens to have a result', { result: 1, page: 2 }, { result: { result: 1, page: 2 } }],
  ])('is answered with %s, which the service understands', async (_, returned, wire) => {
    const agent = await testAgent({ handlers: { echo: async () => returned } });
    const answer = await call(agent, {});
    expect(answer).toMatchObject({ status: 200, body: wire });
    const received = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer.body)) };
    const asked = { mayAnswerLater: false, nowMs: 0 };
    expect(readAgentAnswer({ ...received, kind: 'answered' }, asked)).toMatchObject({ kind: 'completed' });
  });

  test('whose body comes packed is read', async () => {
    const agent = await testAgent();
    const body = gzipSync(JSON.stringify({ capability_id: 'echo', payload: { text: '你好' } }));
    const headers = { 'content-encoding': 'gzip' };
    const response = await fetch(`${agent.address}/execute`, { method: 'POST', body, headers });
    expect(await response.json()).toEqual({ result: { text: '你好' } });
  });

  test('that is refused names the faulty fields, with the status that the handler chose', async () => {
    const errors = [{ pointer: '/a', expected: 'a number', received: 'nothing' }];
    const agent = await testAgent({
      handlers: {
        echo({ intent }) {
          throw new PayloadError('/a is missing', errors, intent === 'unreadable' ? 400 : 422);
        },
      },
    });
    expect(await call(agent, {})).toMatchObject({
      status: 422,
      body: { code: 'PAYLOAD_INVALID', detail: '/a is missing', errors },
    });
    expect(await call(agent, { intent: 'unreadable' })).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED_REQUEST', errors },
    });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('the password is 1234'))],
    ['throws no error', () => Promise.reject('the password is 1234')],
    ['returns what is no JSON', () => ({ count: 1n })],
  ])('whose handler %s is a mere 500 to the caller, and told in the log', async (_, echo) => {
    const told: unknown[][] = [];
    const logger = { ...SILENT, error: (...line: unknown[]) => told.push(line) };
    const agent = await testAgent({ handlers: { echo }, logger });
    const { status, body } = await call(agent, {});
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/1234|BigInt|at .*:\d/);
    expect(told).toEqual([['The capability echo failed', expect.anything()]]);
  });
});

describe('what is no task', () => {
  test.each([
    ['an unknown capability', '{"capability_id":"fly","payload":{}}', 404, 'CAPABILITY_UNKNOWN'],
    ['an inherited name', '{"capability_id":"constructor"}', 404, 'CAPABILITY_UNKNOWN'],
    ['no capability', '{"intent":"x"}', 400, 'MALFORMED_REQUEST'],
    ['an intent that is no text', '{"capability_id":"echo","intent":1}', 400, 'MALFORMED_REQUEST'],
    ['a payload that is no object', '{"capability_id":"echo","payload":[]}', 400, 'MALFORMED_REQUEST'],
    ['an array', '[]', 400, 'MALFORMED_REQUEST'],
    ['no body', '', 400, 'MALFORMED_REQUEST'],
    ['broken JSON', '{"a":', 400, 'MALFORMED_REQUEST'],
    [
      'bytes that are no UTF-8',
      Buffer.from('{"capability_id":"echo","payload":{"a":"\xff"}}', 'latin1'),
      400,
      'MALFORMED_REQUEST',
    ],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, 'MALFORMED_REQUEST'],
    [
      'a payload that is nested deep',
      `{"capability_id":"echo","payload":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
      400,
      'MALFORMED_REQUEST',
    ],
    ['too much', Buffer.alloc(9_000_000, 0x20), 413, 'BODY_TOO_LARGE'],
  ])('%s is refused', async (_, body, status, code) => {
    const agent = await testAgent();
    const response = await fetch(`${agent.address}/execute`, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status, code, detail: expect.any(String) });
  });

  test('too much of unknown length is refused, and the agent works on', async () => {
    const agent = await testAgent();
    const piece = Buffer.alloc(100_000, 0x20);
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 9_000_000; sent += piece.length) controller.enqueue(piece);
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    expect((await fetch(`${agent.address}/execute`, init)).status).toBe(413);
    expect((await fetch(`${agent.address}/healthz`)).status).toBe(200);
  });

  test.each([
    ['what is too much once unpacked', gzipSync(Buffer.alloc(9_000_000, 0x20)), 'gzip', 413],
    ['what is not packed as it says', Buffer.from('{"capability_id":"echo"}'), 'gzip', 400],
    ['what is cut off', gzipSync(Buffer.from('{"capability_id":"echo"}')).subarray(0, 20), 'gzip', 400],
    ['another encoding', Buffer.from('{"capability_id":"echo"}'), 'br', 400],
  ])('%s is refused, and the agent works on', async (_, body, encoding, status) => {
    const agent = await testAgent();
    const headers = { 'content-encoding': encoding };
    const response = await fetch(`${agent.address}/execute`, { method: 'POST', body, headers });
    expect(response.status).toBe(status);
    expect((await call(agent, { payload: { a: 1 } })).body).toEqual({ result: { a: 1 } });
  });

  test('other addresses and methods are not known, and those of the manifest are', async () => {
    const manifest = manifestOf({ execute_endpoint: '/run?v=1', health_endpoint: '/alive' });
    const { address } = await testAgent({ manifest });
    const status = async (path: string, method: string) =>
      (await fetch(`${address}${path}`, { method })).status;
    expect(await status('/run?v=1', 'GET')).toBe(405);
    expect(await status('/alive', 'GET')).toBe(200);
    expect(await status('/alive', 'POST')).toBe(405);
    expect(await status('/execute', 'POST')).toBe(404);
    expect(await status('/', 'GET')).toBe(404);
  });

  test('callers that hang up in the middle are outlived', async () => {
    const { address, port } = await testAgent();
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /execute HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"half');
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});

test('a probe is answered with its trace id, the instance and its state', async () => {
  const agent = await testAgent({ instanceId: 'echo-1' });
  const probe = async (body: object) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${agent.address}/probe`, init);
    return { status: response.status, body: await response.json() };
  };
  expect(await probe({ trace_id: 't-1' })).toEqual({
    status: 200,
    body: { trace_id: 't-1', instance_id: 'echo-1', state: 'unregistered' },
  });
  expect(await probe({ trace_id: 'x'.repeat(300) })).toMatchObject({ status: 400 });
});

describe('a request id', () => {
  test('is carried out once: who asks while it runs joins it, across attempts', async () => {
    const { tasks, handlers, begun } = heldTasks();
    const agent = await testAgent({ handlers });
    const first = call(agent, { payload: { a: 1 } }, { ...withId('r-1'), 'x-reach-attempt': '1' });
    await begun(1);
    const second = call(
      agent,
      { payload: { a: 1 }, reply_to: 'http://other/' },
      { ...withId('r-1'), 'x-reach-attempt': '2' },
    );
    const conflict = await call(agent, { payload: { a: 2 } }, withId('r-1'));
    expect(conflict).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
    tasks[0]?.finish('done');
    expect([(await first).body, (await second).body]).toEqual([{ result: 'done' }, { result: 'done' }]);
    expect(tasks).toHaveLength(1);
  });

  test('that was answered gets the kept answer, a refusal too, and 409 for another body', async () => {
    let count = 0;
    const echo = ({ payload }: AgentTask) => {
      count += 1;
      if (payload?.bad === true) throw new PayloadError('bad');
      return count;
    };
    const agent = await testAgent({ handlers: { echo } });
    for (const _ of [1, 2]) expect((await call(agent, {}, withId('a'))).body).toEqual({ result: 1 });
    for (const _ of [1, 2]) {
      expect(await call(agent, { payload: { bad: true } }, withId('b'))).toMatchObject({ status: 422 });
    }
    expect(count).toBe(2);
    expect((await call(agent, { payload: { bad: true } }, withId('a'))).status).toBe(409);
    // The header of idempotency and the body's id are the same id.
    expect((await call(agent, {}, { 'idempotency-key': 'a' })).body).toEqual({ result: 1 });
    expect((await call(agent, { request_id: 'a' })).body).toEqual({ result: 1 });
  });

  test('whose task failed is tried again; without an id nothing is joined', async () => {
    let count = 0;
    const echo = () => {
      count += 1;
      if (count === 1) throw new Error('once');
      return count;
    };
    const agent = await testAgent({ handlers: { echo } });
    expect((await call(agent, {}, withId('a'))).status).toBe(500);
    expect((await call(agent, {}, withId('a'))).body).toEqual({ result: 2 });
    expect((await call(agent, {})).body).toEqual({ result: 3 });
    expect((await call(agent, {})).body).toEqual({ result: 4 });
  });
});

describe('a deadline', () => {
  test('that passes is told, aborts the signal, and what comes late is kept for the next attempt', async () => {
    const { tasks, handlers, begun } = heldTasks();
    const agent = await testAgent({ handlers });
    const late = call(agent, {}, { ...withId('r-1'), 'x-reach-timeout-ms': '2000' });
    await begun(1);
    expect(tasks[0]?.task.signal.aborted).toBe(false);
    expect(await late).toMatchObject({ status: 504, body: { code: 'DEADLINE_EXCEEDED' } });
    await expect.poll(() => tasks[0]?.task.signal.aborted, PATIENCE).toBe(true);
    expect(tasks[0]?.task.signal.reason).toMatchObject({ name: 'TimeoutError' });
    tasks[0]?.finish('late');
    const again = async () => (await call(agent, {}, withId('r-1'))).body;
    await expect.poll(again, PATIENCE).toEqual({ result: 'late' });
    expect(tasks).toHaveLength(1);
  });

  test('is that of the last one who waits', async () => {
    const { tasks, handlers, begun } = heldTasks();
    const agent = await testAgent({ handlers });
    const short = call(agent, {}, { ...withId('r-1'), 'x-reach-timeout-ms': '2000' });
    await begun(1);
    const long = call(agent, {}, { ...withId('r-1'), 'x-reach-timeout-ms': '60000' });
    expect((await short).status).toBe(504);
    await sleep(100);
    expect(tasks[0]?.task.signal.aborted).toBe(false);
    tasks[0]?.finish('in time');
    expect((await long).body).toEqual({ result: 'in time' });
  });
});

test('a full agent takes no more, says when to come back, and still gives what it has', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const manifest = manifestOf({ dependencies: { max_concurrency: 2 } });
  const agent = await testAgent({ manifest, handlers });
  const running = ['a', 'b'].map((id) => call(agent, {}, withId(id)));
  await begun(2);
  const refused = await call(agent, {}, withId('c'));
  expect(refused).toMatchObject({ status: 429, body: { code: 'AGENT_BUSY' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const joined = call(agent, {}, withId('a'));
  for (const { finish } of tasks) finish('done');
  expect((await joined).status).toBe(200);
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  const next = call(agent, {}, withId('c'));
  await begun(3);
  tasks[2]?.finish('done');
  expect((await next).status).toBe(200);
});

describe('an agent that closes', () => {
  async function closing(drainMs: number) {
    const { tasks, handlers, begun } = heldTasks();
    const agent = await testAgent({ handlers, drainMs });
    const running = call(agent, {}, withId('r-1'));
    running.catch(() => undefined);
    await begun(1);
    const closed = agent.close();
    return { agent, tasks, running, closed };
  }

  test('finishes its tasks, takes nothing new meanwhile, stays alive and is gone then', async () => {
    const { agent, tasks, running, closed } = await closing(60_000);
    expect(agent.state).toBe('draining');
    const refused = await call(agent, {}, withId('r-2'));
    expect(refused).toMatchObject({ status: 503, body: { code: 'CLOSED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${agent.address}/healthz`)).status).toBe(200);
    tasks[0]?.finish('done');
    expect((await running).body).toEqual({ result: 'done' });
    await closed;
    expect(agent.state).toBe('closed');
    await expect(fetch(`${agent.address}/healthz`)).rejects.toThrow('fetch failed');
    await agent.closed;
  });

  test('cuts off what goes on for longer than it may, and tells the handler', async () => {
    const { tasks, running, closed } = await closing(200);
    await closed;
    expect(tasks[0]?.task.signal.aborted).toBe(true);
    await expect(running).rejects.toThrow('fetch failed');
  });

  test('does so also by its signal', async () => {
    const controller = new AbortController();
    const agent = await testAgent({ signal: controller.signal });
    controller.abort();
    await agent.closed;
    expect(agent.state).toBe('closed');
    await expect(testAgent({ signal: controller.signal })).rejects.toThrow('aborted');
  });
});

describe('a start', () => {
  test('on a port that is taken fails as listening does', async () => {
    const { port } = await testAgent();
    await expect(testAgent({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('tells of capabilities without a handler, and answers them with 404', async () => {
    const told: string[] = [];
    const logger = { ...SILENT, warn: (line: string) => told.push(line) };
    const agent: ServedAgent = await testAgent({ handlers: {}, logger });
    expect(told).toEqual(['The capability echo of the manifest has no handler']);
    expect((await call(agent, {})).status).toBe(404);
  });

  test.each([
    [{ reach: 'localhost:8080' }, /localhost:8080 is not the http or https URL of a service/],
    [{ reach: 'http://127.0.0.1:1', host: '0.0.0.0' }, /needs an address/],
  ])('with %j is refused at once', async (options, sentence) => {
    const start = serveAgent({ manifest: manifestOf(), handlers: {}, port: 0, logger: SILENT, ...options });
    await expect(start).rejects.toThrow(sentence);
  });
});
