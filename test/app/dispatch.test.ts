import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createReach, type ReachOptions, type StartHooks } from '../../src/app.js';
import { agent, goneAddress } from '../support/dispatching.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ASKED = 'where is my refund';

async function opened(options: ReachOptions = {}, hooks: StartHooks = {}) {
  const quiet = { logLevel: 'silent', englishModel: false, probes: false } as const;
  const reach = await createReach({ ...quiet, ...options }, hooks);
  onTestFinished(() => reach.close());
  return reach;
}

function manifest(agentName: string, addresses: readonly URL[], capability: object = {}) {
  return {
    agent_name: agentName,
    manifest_version: 1,
    capabilities: [
      {
        id: 'refund-status',
        name: 'Refund status',
        examples: [ASKED],
        input_schema: { type: 'object', properties: { order: { type: 'string' } } },
        output_schema: { type: 'object', required: ['paid'] },
        ...capability,
      },
    ],
    instances: addresses.map((url, place) => ({ instance_id: `${place}`, address: url.origin })),
  };
}

test('who declares the same capability stands in for an agent that cannot be reached, and the result is checked', async () => {
  const reach = await opened();
  const good = await agent(200, { result: { paid: true } });
  await reach.publish(manifest('first', [await goneAddress()], { priority: 90 }));
  await reach.publish(manifest('second', [good.url]));
  const answer = await reach.dispatch({ intent: ASKED, payload: { order: 'A-1' }, checkResult: true });
  expect(answer).toMatchObject({
    state: 'completed',
    result: { paid: true },
    decision: { targetAgent: 'first' },
    attempts: [
      { agentName: 'first', outcome: 'failed' },
      { agentName: 'second', outcome: 'completed' },
    ],
  });
  const named = await reach.dispatch({
    capabilityId: 'first/refund-status',
    payload: {},
    retryPolicy: { maxAttempts: 1 },
  });
  expect(named).toMatchObject({ state: 'failed', attempts: [{ agentName: 'first' }] });
});

test('a result that does not fit its schema is told where somebody asks', async () => {
  const reach = await opened();
  const bad = await agent(200, { result: { settled: true } });
  await reach.publish(manifest('first', [bad.url]));
  const request = { intent: ASKED, payload: {} };
  expect(await reach.dispatch({ ...request, checkResult: true })).toMatchObject({
    state: 'failed',
    error: { code: 'RESULT_INVALID', detail: expect.stringMatching(/paid/) },
  });
  expect(await reach.dispatch(request)).toMatchObject({ state: 'completed' });
});

test('a rule says what answers where nobody can', async () => {
  const routes = join(await temporaryFolder(), 'routes.yaml');
  await writeFile(
    routes,
    'rules: [{id: calm, when: {capability: first/refund-status}, degrade: {kind: canned, value: later}}]',
  );
  const reach = await opened({ routes });
  await reach.publish(manifest('first', [await goneAddress()]));
  expect(await reach.dispatch({ intent: ASKED, retryPolicy: { maxAttempts: 1 } })).toMatchObject({
    state: 'completed',
    degraded: true,
    result: 'later',
    error: { code: 'AGENT_UNREACHABLE' },
    decision: { ruleId: 'calm' },
  });
});

test('decisions and attempts choose by the strategy that a manifest names and the caller of the library gave', async () => {
  const [one, two] = [await agent(200, { result: 1 }), await agent(200, { result: 2 })];
  const reach = await opened({}, { strategies: { newest: { choose: (open) => open.at(-1) } } });
  await reach.publish(manifest('first', [one.url, two.url], { instance_strategy: 'newest' }));
  for (let turn = 0; turn < 3; turn++) {
    expect((await reach.route({ intent: ASKED })).instanceId).toBe('1');
    expect(await reach.dispatch({ intent: ASKED })).toMatchObject({ result: 2 });
  }
  expect(one.seen).toHaveLength(0);
});

test('a batch is a fan-out of dispatches', async () => {
  const reach = await opened();
  const good = await agent(200, { result: { paid: true } });
  await reach.publish(manifest('first', [good.url]));
  const requests = [{ intent: ASKED }, { agentName: 'nobody' }, { intent: ASKED, payload: { order: 7 } }];
  expect(await reach.batch({ requests })).toMatchObject({
    state: 'failed',
    answers: [
      { state: 'completed' },
      { error: { code: 'AGENT_UNKNOWN' } },
      { error: { code: 'PAYLOAD_INVALID' } },
    ],
  });
  await expect(reach.batch({ requests: [] })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});

test.each([
  ['a deadline of 0', { deadlines: { executeMs: 0 } }],
  ['a negative deadline', { deadlines: { seekMs: -1 } }],
  ['a deadline of a year', { deadlines: { executeMs: 31_536_000_000 } }],
  ['1,000 attempts asked for', { retryPolicy: { maxAttempts: 1_000 } }],
])('bad input: %s is refused', async (_, bad) => {
  const reach = await opened();
  await expect(reach.dispatch({ intent: ASKED, ...bad })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});
