import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type ReachOptions } from '../../src/app.js';
import { httpServer } from '../support/local-servers.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const DECLARED = 'show me the balance of my account';
const REFUND = 'my money for the broken kettle has not come back yet';

/** Where an instance seems to be; nobody is called there. */
const SOMEWHERE = 'http://127.0.0.1:9';

const manifest = (agent_name: string, capability: object, address: string | undefined) => ({
  agent_name,
  manifest_version: 1,
  capabilities: [capability],
  instances: address === undefined ? [] : [{ instance_id: 'a', address }],
});

let routes: string;

/** Balances, refunds, small talk, and one agent without an instance. */
async function opened(rules: string, options: ReachOptions = {}, address = SOMEWHERE): Promise<Reach> {
  routes = join(await temporaryFolder(), 'routes.yaml');
  await writeFile(routes, rules);
  const reach = await createReach({
    logLevel: 'silent',
    englishModel: false,
    probes: false,
    routes,
    ...options,
  });
  onTestFinished(() => reach.close());
  const balance = {
    id: 'balance',
    name: 'Account balance',
    description: 'Shows how much money is in an account.',
    examples: [DECLARED, 'how much money do I have'],
  };
  const refund = {
    id: 'status',
    name: 'Refund status',
    description: 'Tells where the money for returned goods is.',
    examples: ['where is my refund', 'has my money for the return been sent'],
  };
  await reach.publish(manifest('accounts', balance, address));
  await reach.publish(manifest('refunds', refund, address));
  await reach.publish(manifest('chat', { id: 'talk', name: 'Small talk' }, address));
  await reach.publish(manifest('asleep', { id: 'nap', name: 'Sleeps' }, undefined));
  return reach;
}

describe('with the real model', () => {
  test('a rule of kind before wins over semantics, and an example that is declared over the rule', async () => {
    const reach = await opened(`
rules:
  - id: money
    when: { intent: money }
    target: chat/talk
  - id: balances
    when: { intent: balance }
    target: chat
`);
    const ruled = await reach.route({ intent: REFUND });
    expect(ruled).toMatchObject({ outcome: 'routed', targetAgent: 'chat', confidence: 1, ruleId: 'money' });
    const refunds = ruled.candidates.find(({ agentName }) => agentName === 'refunds');
    expect(refunds?.excludedBy).toBe('the rule money sends this to chat/talk');
    expect(await reach.route({ intent: DECLARED.toUpperCase() })).toMatchObject({
      targetAgent: 'accounts',
      confidence: 1,
    });
    expect(await reach.route({ intent: 'the balance of my account, please' })).toMatchObject({
      targetAgent: 'chat',
      ruleId: 'balances',
    });
    expect(await reach.route({ capabilityId: 'refunds/status', intent: REFUND })).toMatchObject({
      targetAgent: 'refunds',
    });
    expect(
      await reach.route({ intent: REFUND, filter: { agents: ['refunds'] }, threshold: 0 }),
    ).toMatchObject({
      targetAgent: 'refunds',
    });
  });

  test('a rule of kind fallback takes what nobody is sure of, ahead of the fallback agent', async () => {
    const reach = await opened(
      `
rules:
  - id: nobody-there
    kind: fallback
    target: asleep
  - id: poems
    kind: fallback
    when: { intent: /poem|诗/ }
    target: chat/talk
`,
      { fallbackAgent: 'accounts' },
    );
    const poem = await reach.route({ intent: '写一首关于秋天的诗' });
    expect(poem).toMatchObject({ outcome: 'fallback', targetAgent: 'chat', ruleId: 'poems' });
    expect(poem.confidence).toBeLessThan(poem.threshold);
    const other = await reach.route({ intent: 'how high is Mount Everest' });
    expect(other).toMatchObject({ outcome: 'fallback', targetAgent: 'accounts' });
    expect(other).not.toHaveProperty('ruleId');
  });

  test('rules count with the next decision after they or the agents have changed, though its candidates are cached', async () => {
    const reach = await opened('rules: []\n');
    const ask = () => reach.route({ intent: REFUND, threshold: 0 });
    expect(await ask()).toMatchObject({ targetAgent: 'refunds' });
    await writeFile(
      routes,
      'rules: [{id: money, when: {intent: money}, target: late/comer, timeout_ms: 50}]\n',
    );
    await until(() =>
      expect(reach.health().rules.detail).toContain('target late/comer is not in the catalogue'),
    );
    expect(reach.health().rules.state).toBe('ok');
    expect(await ask()).toMatchObject({ targetAgent: 'refunds' });
    await reach.publish(manifest('late', { id: 'comer', name: 'Comes late' }, SOMEWHERE));
    expect(await ask()).toMatchObject({ targetAgent: 'late', ruleId: 'money', timeoutMs: 50 });
    expect(reach.health().rules.detail).toMatch(/^In force: 1 rule of \S+routes\.yaml\.$/);

    await writeFile(routes, 'rules: [{id: money, when: {intnt: money}, target: chat}]\n');
    await until(() => expect(reach.health().status).toBe('degraded'));
    expect(reach.health().rules.detail).toContain(
      ':1: /rules/0/when/intnt: expected one of the known fields',
    );
    expect(await ask()).toMatchObject({ targetAgent: 'late' });
    await rm(routes);
    await until(() => reach.health().rules.detail === `There is no file ${routes}.`);
    expect(await ask()).toMatchObject({ targetAgent: 'refunds' });
  });

  test('what a rule says of the time is what a dispatch has, where the caller says nothing', async () => {
    const slow = await httpServer(() => {});
    const rules = 'rules: [{id: quick, when: {agent: refunds}, timeout_ms: 300}]\n';
    const reach = await opened(rules, {}, String(slow.url));
    const start = performance.now();
    const answer = await reach.dispatch({ capabilityId: 'refunds/status' });
    expect(answer).toMatchObject({
      state: 'failed',
      error: { code: 'DEADLINE_EXCEEDED' },
      decision: { ruleId: 'quick', timeoutMs: 300 },
    });
    // An agent without a deadline has 5 s.
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});

test('rules of a file that was named and is not there let nothing start', async () => {
  const gone = join(await temporaryFolder(), 'routes.yaml');
  await expect(createReach({ routes: gone, logLevel: 'silent' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `There is no file of rules at ${gone}.`,
  });
});
