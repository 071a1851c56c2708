import { expect, test } from 'vitest';
import { kitAgent } from '../support/kit-agent.js';
import { contractService } from './contract-service.js';

const PATIENCE = { timeout: 30_000 };
/** Of one core, a busy loop takes all; a loaded machine may give it far less. */
const BUSY = 0.05;

const busyAgent = (reach: string) => kitAgent(reach, 'busy-agent', 'busy-1');

function work(address: string, payload: object): Promise<Response> {
  const body = JSON.stringify({ capability_id: 'work', payload });
  const headers = { 'x-reach-timeout-ms': '60000' };
  return fetch(`${address}/execute`, { method: 'POST', body, headers });
}

test('a busy node declared dead: a handler that blocks its thread for 12 s delays no beat', async () => {
  const service = await contractService();
  service.intervalMs = 500;
  const { address, end } = await busyAgent(service.url);
  await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(0);
  const began = performance.now();
  await (await work(address, { blockMs: 12_000 })).text();
  const ended = performance.now();
  expect(ended - began).toBeGreaterThan(11_500);
  const during = service.seen('POST heartbeat').filter(({ at }) => at > began && at < ended);
  expect(during.length).toBeGreaterThan(20);
  const times = [began, ...during.map(({ at }) => at), ended];
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(4 * service.intervalMs);
  // And they tell the truth: one task, and a process that computes.
  const middle = during.slice(2, -1).map(({ body }) => body);
  expect(new Set(middle.map(({ pending }) => pending))).toEqual(new Set([1]));
  expect(Math.max(...middle.map(({ load }) => Number(load)))).toBeGreaterThan(BUSY);
  await end('SIGTERM');
});

test('a clean exit reported as lost: SIGTERM drains, ends the running work, leaves and exits with 0', async () => {
  const service = await contractService();
  const { address, end } = await busyAgent(service.url);
  await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(0);
  const running = work(address, { waitMs: 1_500 });
  await expect.poll(() => service.seen('POST heartbeat').at(-1)?.body.pending, PATIENCE).toBe(1);
  const exited = end('SIGTERM');
  await expect.poll(() => service.seen('POST drain').length, PATIENCE).toBe(1);
  expect((await work(address, {})).status).toBe(503);
  await expect.poll(() => service.seen('POST heartbeat').at(-1)?.body.state, PATIENCE).toBe('draining');
  expect(service.seen('DELETE instance')).toEqual([]);
  expect(await (await running).json()).toEqual({ result: 'done' });
  expect(await exited).toEqual([0, null]);
  const last = service.calls.at(-1);
  expect(`${last?.method} ${last?.path} ${last?.status}`).toBe(
    'DELETE /agents/busy-agent/instances/busy-1 200',
  );
});
