import { ReachClient, type ServedAgent, serveAgent } from 'agent-reach-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoProcess, startDemo } from '../support/demo-process.js';
import { SILENT } from './test-agent.js';

// The kit against the service itself, with the sample agents.

let demo: DemoProcess;
let reach: ReachClient;
let agent: ServedAgent;

beforeAll(async () => {
  demo = await startDemo();
  reach = new ReachClient({ endpoint: demo.url });
  agent = await serveAgent({
    reach: demo.url,
    port: 0,
    logger: SILENT,
    manifest: {
      agent_name: 'greeting-agent',
      manifest_version: 1,
      capabilities: [
        { id: 'greet', name: 'Greet somebody', examples: ['say hello to Ada', '跟小王打个招呼'] },
      ],
    },
    handlers: { greet: ({ payload }) => `Hello, ${payload?.name}!` },
  });
});

afterAll(async () => {
  await agent.close();
  await demo.stop();
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

test('an agent that is given the service is routable', async () => {
  const target = async () => (await reach.route('跟小王打个招呼')).candidates[0]?.agentName;
  await expect.poll(target, { timeout: 30_000 }).toBe('greeting-agent');
});

test('a refusal of the service is a typed error', async () => {
  await expect(reach.route('x', null, { topK: 65 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    status: 422,
    errors: [{ pointer: '/top_k' }],
  });
});
