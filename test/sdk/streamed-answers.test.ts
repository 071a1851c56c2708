import { type AgentTask, PayloadError, type ServedAgent } from 'agent-reach-sdk';
import { expect, test } from 'vitest';
import { type EventBlock, readEventBlocks } from '../../src/wire/event-blocks.js';
import { eventsOf } from '../support/events-of.js';
import { call, heldTasks, PATIENCE, SILENT, testAgent, withId } from './test-agent.js';

const STREAM = { accept: 'application/json, text/event-stream' };

/** Calls an agent as the service does, and reads what comes. */
async function stream({ address }: ServedAgent, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${address}/execute`, {
    method: 'POST',
    body: JSON.stringify({ capability_id: 'echo' }),
    headers: { ...STREAM, ...headers },
  });
  if (response.body === null) throw new Error('no body');
  const blocks = readEventBlocks(response.body);
  return { response, blocks, rest: () => restOf(blocks) };
}

async function restOf(blocks: AsyncIterable<EventBlock>) {
  const events: unknown[] = [];
  for await (const block of blocks) events.push(told(block));
  return events;
}

const told = ({ event, data }: EventBlock) => [event, JSON.parse(data ?? '')];

test('what a handler tells comes as it is told, and the result after it', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const agent = await testAgent({ handlers });
  const streaming = stream(agent);
  await begun(1);
  tasks[0]?.task.progress({ percent: 10 });
  const { response, blocks } = await streaming;
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect((await eventsOf(blocks, 1)).map(told)).toEqual([['progress', { percent: 10 }]]);
  tasks[0]?.task.delta('你好,\n');
  tasks[0]?.task.progress(undefined);
  expect((await eventsOf(blocks, 2)).map(told)).toEqual([
    ['delta', '你好,\n'],
    ['progress', null],
  ]);
  tasks[0]?.finish({ result: 1, reply: '你好,\n世界', needHumanHandoff: true });
  expect(await restOf(blocks)).toEqual([
    ['result', { result: 1, reply: '你好,\n世界', need_human_handoff: true }],
  ]);
});

test('a caller that takes no stream, and a handler that tells nothing, get and give JSON', async () => {
  const echo = (task: AgentTask) => {
    if (task.intent === 'tell') task.delta('a');
    return 'done';
  };
  const agent = await testAgent({ handlers: { echo } });
  expect((await call(agent, { intent: 'tell' })).body).toEqual({ result: 'done' });
  const quiet = await call(agent, {}, STREAM);
  expect(quiet.headers.get('content-type')).toBe('application/json');
  expect(quiet.body).toEqual({ result: 'done' });
});

test.each([
  ['fails', () => new Error('the password is 1234'), 'The agent could not compute an answer.'],
  ['refuses the payload', () => new PayloadError('/a is missing'), '/a is missing'],
])('a handler that %s after its first word ends the stream with an error', async (_, error, detail) => {
  const echo = async (task: AgentTask) => {
    task.progress(1);
    throw error();
  };
  const agent = await testAgent({ handlers: { echo } });
  expect(await (await stream(agent)).rest()).toEqual([
    ['progress', 1],
    ['error', { detail }],
  ]);
});

test('what is no JSON fails the handler, and nothing of it is sent', async () => {
  const agent = await testAgent({ handlers: { echo: (task) => task.progress(1n) } });
  expect((await call(agent, {}, STREAM)).status).toBe(500);
});

test('a request id is carried out once: a second attempt joins the stream, and gets the kept answer after it', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const agent = await testAgent({ handlers });
  const first = stream(agent, withId('r-1'));
  await begun(1);
  tasks[0]?.task.delta('one');
  const { blocks } = await first;
  expect((await eventsOf(blocks, 1)).map(told)).toEqual([['delta', 'one']]);
  const second = stream(agent, { ...withId('r-1'), 'x-reach-attempt': '2' });
  const plain = call(agent, {}, withId('r-1'));
  // Both have joined once what is told reaches the second.
  const joined = async () => {
    tasks[0]?.task.progress('still');
    return Promise.race([second.then(() => true), new Promise((resolve) => setTimeout(resolve, 20))]);
  };
  await expect.poll(joined, PATIENCE).toBe(true);
  tasks[0]?.finish('done');
  const all = await (await second).rest();
  expect(all.at(0)).toEqual(['progress', 'still']);
  expect(all.at(-1)).toEqual(['result', { result: 'done' }]);
  expect((await restOf(blocks)).at(-1)).toEqual(['result', { result: 'done' }]);
  expect((await plain).body).toEqual({ result: 'done' });
  expect((await call(agent, {}, { ...withId('r-1'), ...STREAM })).body).toEqual({ result: 'done' });
  expect(tasks).toHaveLength(1);
});

test('a deadline that passes ends the stream with an error, and aborts the signal', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const agent = await testAgent({ handlers, drainMs: 100 });
  const streaming = stream(agent, { 'x-reach-timeout-ms': '1500' });
  await begun(1);
  tasks[0]?.task.progress(1);
  expect(await (await streaming).rest()).toEqual([
    ['progress', 1],
    ['error', { detail: expect.stringContaining('time of the call is over') }],
  ]);
  await expect.poll(() => tasks[0]?.task.signal.reason?.name, PATIENCE).toBe('TimeoutError');
});

test('a reader that takes nothing misses what does not fit, and its agent does not grow', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const agent = await testAgent({ handlers, logger: SILENT });
  const streaming = stream(agent);
  await begun(1);
  const piece = 'x'.repeat(1_000_000);
  tasks[0]?.task.delta('too large for any reader'.repeat(50_000));
  const before = process.memoryUsage().external;
  for (let sent = 0; sent < 200; sent += 1) tasks[0]?.task.delta(piece);
  expect(process.memoryUsage().external - before).toBeLessThan(50_000_000);
  tasks[0]?.finish('whole');
  const all = await (await streaming).rest();
  expect(all.length).toBeLessThan(100);
  expect(all[0]).toEqual(['delta', piece]);
  expect(all.at(-1)).toEqual(['result', { result: 'whole' }]);
});
