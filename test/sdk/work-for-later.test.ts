import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type AgentTask, PayloadError } from 'agent-reach-sdk';
import { describe, expect, test } from 'vitest';
import { kitAgent } from '../support/kit-agent.js';
import { httpServer } from '../support/local-servers.js';
import { contractService } from './contract-service.js';
import { call, heldTasks, PATIENCE, SILENT, testAgent, withId } from './test-agent.js';

const STREAM = { accept: 'application/json, text/event-stream' };

/** Where an agent may reply, answering with these statuses in turn, then with 200. */
async function replyPlace(statuses: readonly number[] = []) {
  const replies: unknown[] = [];
  const server = await httpServer(async (request: IncomingMessage, response: ServerResponse) => {
    replies.push(await json(request));
    response.writeHead(statuses[replies.length - 1] ?? 200).end('{}');
  });
  const replyTo = `${server.url.href}api/v1/requests/r-1/reply?token=t`;
  return {
    replies,
    replyTo,
    server,
    count: (n: number) => expect.poll(() => replies.length, PATIENCE).toBe(n),
  };
}

/** A handler that takes its work for later, with tasks that end when the test says so. */
function heldLater() {
  const held = heldTasks();
  const echo = (task: AgentTask) => {
    task.acknowledge({ queueRemaining: 2, estimatedDelayMs: 500 });
    return held.handlers.echo(task);
  };
  return { ...held, handlers: { echo } };
}

describe('work that is taken for later', () => {
  test('is answered with 202 at once, tells its progress, and replies with all that a result has', async () => {
    const { replies, replyTo, count } = await replyPlace();
    const { tasks, handlers } = heldLater();
    const agent = await testAgent({ handlers });
    expect(await call(agent, { reply_to: replyTo }, STREAM)).toMatchObject({
      status: 202,
      body: { queue_remaining: 2, estimated_delay_ms: 500 },
    });
    tasks[0]?.task.progress({ percent: 40 });
    await count(1);
    tasks[0]?.task.delta('a piece');
    expect(tasks[0]?.task.signal.aborted).toBe(false);
    tasks[0]?.finish({ result: [1], reply: 'one', entities: { order_id: 'x' }, needHumanHandoff: false });
    await count(2);
    expect(replies).toEqual([
      { state: 'processing', progress: { percent: 40 } },
      {
        state: 'completed',
        result: [1],
        reply: 'one',
        entities: { order_id: 'x' },
        need_human_handoff: false,
      },
    ]);
  });

  test('is answered plainly where the caller takes no reply', async () => {
    const echo = (task: AgentTask) => {
      task.acknowledge();
      return 'done';
    };
    const agent = await testAgent({ handlers: { echo } });
    for (const replyTo of [null, undefined, 7, 'ftp://127.0.0.1/', 'nonsense']) {
      expect(await call(agent, { reply_to: replyTo })).toMatchObject({
        status: 200,
        body: { result: 'done' },
      });
    }
  });

  test('is answered by the stream that has begun before', async () => {
    const { replies, replyTo } = await replyPlace();
    const echo = (task: AgentTask) => {
      task.progress(1);
      task.acknowledge();
      return 'done';
    };
    const agent = await testAgent({ handlers: { echo } });
    const response = await fetch(`${agent.address}/execute`, {
      method: 'POST',
      body: JSON.stringify({ capability_id: 'echo', reply_to: replyTo }),
      headers: STREAM,
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('event: result\ndata: {"result":"done"}');
    expect(replies).toEqual([]);
  });

  test('that fails is told as well, with what is wrong only where it is the payload', async () => {
    const { replies, replyTo, count } = await replyPlace();
    const errors = [{ pointer: '/a', expected: 'a number', received: 'nothing' }];
    const echo = async (task: AgentTask) => {
      task.acknowledge();
      throw task.intent === 'bad' ? new PayloadError('/a is missing', errors) : new Error('password 1234');
    };
    const agent = await testAgent({ handlers: { echo } });
    expect((await call(agent, { reply_to: replyTo })).status).toBe(202);
    await count(1);
    expect((await call(agent, { intent: 'bad', reply_to: replyTo })).status).toBe(202);
    await count(2);
    expect(replies).toEqual([
      { state: 'failed', error: { detail: 'The agent could not compute an answer.' } },
      { state: 'failed', error: { detail: '/a is missing', errors } },
    ]);
  });

  test('whose time is over is told as failed, and aborts the signal', async () => {
    const { replies, replyTo, count } = await replyPlace();
    const { tasks, handlers } = heldLater();
    const agent = await testAgent({ handlers, drainMs: 100 });
    await call(agent, { reply_to: replyTo }, { 'x-reach-timeout-ms': '1000' });
    await count(1);
    expect(replies).toMatchObject([{ state: 'failed', error: { detail: expect.stringContaining('over') } }]);
    expect(tasks[0]?.task.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a reply', () => {
  const done = (task: AgentTask) => {
    task.acknowledge();
    return 'done';
  };

  test('is repeated until it is taken', async () => {
    const { replies, replyTo, count } = await replyPlace([503, 500, 429]);
    const agent = await testAgent({ handlers: { echo: done } });
    await call(agent, { reply_to: replyTo });
    await count(4);
    expect(new Set(replies.map((reply) => JSON.stringify(reply)))).toEqual(
      new Set(['{"state":"completed","result":"done"}']),
    );
  });

  test('reaches a service that was away', async () => {
    const { replyTo, server } = await replyPlace();
    await server.stop();
    const agent = await testAgent({ handlers: { echo: done } });
    expect((await call(agent, { reply_to: replyTo })).status).toBe(202);
    const back = createServer();
    const taken = once(back, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    back.listen(server.port, '127.0.0.1');
    const [request, response] = await taken;
    expect(await json(request)).toEqual({ state: 'completed', result: 'done' });
    response.end();
    await agent.close();
    back.close();
  });

  test.each([409, 404])('is not repeated after a %d, which says that nobody waits', async (status) => {
    const { replies, replyTo } = await replyPlace([status]);
    const agent = await testAgent({ handlers: { echo: done } });
    await call(agent, { reply_to: replyTo });
    // An agent ends when all that it owes is delivered or over.
    await expect.poll(() => replies.length, PATIENCE).toBe(1);
    await agent.close();
    expect(replies).toHaveLength(1);
  });

  test('that is refused for what it holds is told as failed', async () => {
    const { replies, replyTo, count } = await replyPlace([413]);
    const told: string[] = [];
    const logger = { ...SILENT, warn: (line: string) => told.push(line) };
    const agent = await testAgent({ handlers: { echo: done }, logger });
    await call(agent, { reply_to: replyTo });
    await count(2);
    expect(replies[1]).toMatchObject({ state: 'failed', error: { detail: expect.stringContaining('413') } });
    expect(told).toEqual(['A reply was refused with status 413']);
  });
});

test('progress that is answered with 409 aborts the task, since nobody waits for it', async () => {
  const { replies, replyTo, count } = await replyPlace([409]);
  const { tasks, handlers } = heldLater();
  const agent = await testAgent({ handlers });
  await call(agent, { reply_to: replyTo });
  tasks[0]?.task.progress(1);
  await count(1);
  await expect.poll(() => tasks[0]?.task.signal.reason?.name, PATIENCE).toBe('AbortError');
  tasks[0]?.finish('too late');
  await agent.close();
  expect(replies).toHaveLength(1);
});

test('a request id is carried out once: a second attempt is acknowledged too, and gets the kept answer after the end', async () => {
  const { replies, replyTo, count } = await replyPlace();
  const second = await replyPlace();
  const { tasks, handlers } = heldLater();
  const agent = await testAgent({ handlers });
  expect((await call(agent, { reply_to: replyTo }, withId('r-1'))).status).toBe(202);
  expect((await call(agent, { reply_to: second.replyTo }, withId('r-1'))).status).toBe(202);
  const plain = call(agent, {}, withId('r-1'));
  expect((await call(agent, { payload: { other: 1 } }, withId('r-1'))).status).toBe(409);
  tasks[0]?.finish('done');
  const completed = { state: 'completed', result: 'done' };
  await count(1);
  await second.count(1);
  expect([replies, second.replies]).toEqual([[completed], [completed]]);
  expect((await plain).body).toEqual({ result: 'done' });
  expect(await call(agent, { reply_to: replyTo }, withId('r-1'))).toMatchObject({
    status: 200,
    body: { result: 'done' },
  });
  expect(tasks).toHaveLength(1);
});

describe('an agent that ends', () => {
  test('waits for work that it took for later, and for its reply', async () => {
    const { replies, replyTo } = await replyPlace([503, 503]);
    const { address, end } = await kitAgent((await contractService()).url, 'busy-agent', 'busy-1');
    const body = JSON.stringify({
      capability_id: 'work',
      payload: { waitMs: 500, later: true },
      reply_to: replyTo,
    });
    expect((await fetch(`${address}/execute`, { method: 'POST', body })).status).toBe(202);
    expect(await end('SIGTERM')).toEqual([0, null]);
    const completed = { state: 'completed', result: 'done' };
    expect(replies).toEqual([completed, completed, completed]);
  });

  test('says of what it cannot finish that it failed', async () => {
    const { replies, replyTo } = await replyPlace();
    const { tasks, handlers } = heldLater();
    const agent = await testAgent({ handlers, drainMs: 100 });
    await call(agent, { reply_to: replyTo });
    await agent.close();
    expect(tasks[0]?.task.signal.aborted).toBe(true);
    expect(replies).toEqual([
      { state: 'failed', error: { detail: 'The agent ended before the work was done.' } },
    ]);
  });
});
