import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ReachClient } from 'agent-reach-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoProcess, startDemo } from '../support/demo-process.js';

// The kit against the service itself, with the sample agents and with what its README shows.

const KIT = fileURLToPath(new URL('../../sdk/', import.meta.url));
const SERVICE_URL = 'http://127.0.0.1:8080';

const README = readFileSync(new URL('../../sdk/README.md', import.meta.url), 'utf8');
const [agentSource = '', callerSource = ''] = [...README.matchAll(/```js\n(.*?)```/gs)].map(
  ([, code]) => code,
);

/** Runs a program of the README, at the service of this test and at a port that is free. */
function runShown(source: string, url: string): ChildProcess {
  const code = source.replace(SERVICE_URL, url).replace('reach:', 'port: 0,\n  reach:');
  const args = ['--input-type=module', '-e', code];
  return spawn(process.execPath, args, { cwd: KIT, stdio: ['ignore', 'pipe', 'inherit'] });
}

let demo: DemoProcess;
let reach: ReachClient;
let agent: ChildProcess;

beforeAll(async () => {
  demo = await startDemo();
  reach = new ReachClient({ endpoint: demo.url });
  agent = runShown(agentSource, demo.url);
});

afterAll(async () => {
  const exited = once(agent, 'exit');
  agent.kill('SIGTERM');
  await exited;
  await demo.stop();
});

test('the README shows a whole agent in 15 lines, and a caller in 5', () => {
  const lines = (source: string) => source.split('\n').filter((line) => line.trim() !== '').length;
  expect(lines(agentSource)).toBeLessThanOrEqual(15);
  expect(lines(callerSource)).toBeLessThanOrEqual(5);
  for (const source of [agentSource, callerSource]) expect(source).toContain(SERVICE_URL);
});

test('a caller routes and dispatches to a sample agent, which the kit serves', async () => {
  const decision = await reach.route('where is my order 20231188');
  expect(decision).toMatchObject({ outcome: 'routed', targetAgent: 'orders-agent' });
  const { targetAgent, instanceId, targetAddress } = decision;
  expect(reach.address(targetAgent ?? '', instanceId ?? '')).toBe(targetAddress);
  const answer = await reach.dispatch('turn this csv into json', {
    content: 'a\n1',
    from: 'csv',
    to: 'json',
  });
  expect(answer).toMatchObject({ state: 'completed', result: { row_count: 1 } });
});

test('the agent of the README becomes routable by itself, and its caller gets an answer', async () => {
  // Published first and registered next: with an instance it is routed to.
  const target = async () => {
    const { outcome, targetAgent } = await reach.route('跟小王打个招呼');
    return outcome === 'routed' ? targetAgent : outcome;
  };
  await expect.poll(target, { timeout: 30_000 }).toBe('greeting-agent');
  const caller = runShown(callerSource, demo.url);
  if (caller.stdout === null) throw new Error('no output');
  expect(await text(caller.stdout)).toBe('completed Hello, Ada!\n');
});

test('a refusal of the service is a typed error', async () => {
  await expect(reach.route('x', null, { topK: 65 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    status: 422,
    errors: [{ pointer: '/top_k' }],
  });
});
