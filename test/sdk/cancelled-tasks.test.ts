import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentTask, ServedAgent } from 'agent-reach-sdk';
import { expect, test } from 'vitest';
import { call, heldTasks, PATIENCE, SILENT, testAgent, withId } from './test-agent.js';

async function cancel({ address }: ServedAgent, body: object) {
  const response = await fetch(`${address}/cancel`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

/** A call whose connection is closed by `leave`. */
function leaving(agent: ServedAgent, headers: Readonly<Record<string, string>>) {
  const controller = new AbortController();
  const gone = fetch(`${agent.address}/execute`, {
    method: 'POST',
    body: JSON.stringify({ capability_id: 'echo' }),
    headers,
    signal: controller.signal,
  });
  gone.catch(() => undefined);
  return () => controller.abort();
}

test('a request that is cancelled aborts its task, which is no failure to be told in the log', async () => {
  const told: string[] = [];
  const logger = { ...SILENT, error: (line: string) => told.push(line) };
  const seen: AgentTask[] = [];
  const echo = async (task: AgentTask) => {
    seen.push(task);
    await sleep(60_000, undefined, { signal: task.signal });
  };
  const agent = await testAgent({ handlers: { echo }, logger });
  const running = call(agent, {}, withId('r-1'));
  await expect.poll(() => seen.length, PATIENCE).toBe(1);
  expect(await cancel(agent, { request_id: 'r-2' })).toEqual({
    status: 200,
    body: { request_id: 'r-2', cancelled: false },
  });
  expect(seen[0]?.signal.aborted).toBe(false);
  expect(await cancel(agent, { request_id: 'r-1' })).toEqual({
    status: 200,
    body: { request_id: 'r-1', cancelled: true },
  });
  expect(seen[0]?.signal.reason).toMatchObject({ name: 'AbortError', message: 'The request was cancelled.' });
  expect((await running).status).toBe(500);
  expect(told).toEqual([]);
  expect(await cancel(agent, {})).toMatchObject({ status: 400 });
});

test('a connection that closes aborts the task once nobody else waits for it', async () => {
  const { tasks, handlers, begun } = heldTasks();
  const agent = await testAgent({ handlers, drainMs: 100 });
  const leave = leaving(agent, withId('r-1'));
  await begun(1);
  const leaveToo = leaving(agent, withId('r-1'));
  await sleep(200);
  leave();
  await sleep(200);
  expect(tasks[0]?.task.signal.aborted).toBe(false);
  leaveToo();
  await expect.poll(() => tasks[0]?.task.signal.reason?.name, PATIENCE).toBe('AbortError');
});

test('a request that comes again while its aborted task winds down is carried out afterwards, not beside it', async () => {
  let running = 0;
  let most = 0;
  const seen: AgentTask[] = [];
  const echo = async (task: AgentTask) => {
    seen.push(task);
    running += 1;
    most = Math.max(most, running);
    try {
      if (seen.length > 1) return 'done';
      await sleep(60_000, undefined, { signal: task.signal }).catch(() => undefined);
      await sleep(500);
      throw new Error('aborted');
    } finally {
      running -= 1;
    }
  };
  const agent = await testAgent({ handlers: { echo } });
  const leave = leaving(agent, withId('r-1'));
  await expect.poll(() => seen.length, PATIENCE).toBe(1);
  leave();
  await expect.poll(() => seen[0]?.signal.aborted, PATIENCE).toBe(true);
  expect((await call(agent, {}, withId('r-1'))).body).toEqual({ result: 'done' });
  expect([seen.length, most]).toEqual([2, 1]);
});
