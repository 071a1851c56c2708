import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type RecordedDecision } from '../../src/app.js';
import type { ReachOptions } from '../../src/config.js';
import { leave, refund } from '../support/refund-and-leave.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const agent = (name: string, version: number, ...capabilities: readonly object[]) => ({
  agent_name: name,
  manifest_version: version,
  capabilities,
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
});

const weather = {
  id: 'weather',
  name: 'Weather forecast',
  description: 'Tells the weather of a place.',
  examples: ['will it rain tomorrow', '北京天气怎么样'],
};

const REFUNDS = ['please give me back the money for my order', 'refund order 77', '这个订单请退款给我'];
const LEAVES = ['请帮我申请下周一的年假', 'I would like to take tomorrow off'];

async function opened(options: ReachOptions = {}): Promise<Reach> {
  return createReach({ manifests: null, data: null, logLevel: 'silent', probes: false, ...options });
}

async function recordedBy(reach: Reach): Promise<RecordedDecision[]> {
  const all: RecordedDecision[] = [];
  for await (const decision of reach.exportRoutes()) all.push(decision);
  return all;
}

async function routeAll(reach: Reach, intents: readonly string[]) {
  const decisions = await Promise.all(intents.map((intent) => reach.route(intent)));
  return decisions.map(({ outcome, targetAgent, capabilityId }) => ({ outcome, targetAgent, capabilityId }));
}

describe('what a manifest would change', () => {
  let reach: Reach;
  beforeAll(async () => {
    reach = await opened();
    await reach.publish(agent('orders', 1, refund));
    await reach.publish(agent('people', 1, leave));
    await reach.publish(agent('sky', 1, weather));
  });
  afterAll(() => reach.close());

  test('where nothing is recorded: what it would break and overlap with, and nothing else', async () => {
    const { wouldChange, ...answer } = await reach.preview(agent('orders', 2, weather));
    expect(wouldChange).toEqual({ since: null, asked: 0, changed: [], leftOut: 0 });
    expect(answer).toMatchObject({ agentName: 'orders', manifestVersion: 2, catalogueVersion: 3 });
    expect(answer.breaking.map(({ kind }) => kind)).toEqual(['capability_removed']);
    expect(answer.overlaps?.map(({ other }) => other)).toEqual(['sky/weather']);
  });

  test('what it takes from another agent, and nothing else; nothing is stored or recorded', async () => {
    const before = await routeAll(reach, [...REFUNDS, ...LEAVES, ...REFUNDS]);
    const recorded = await recordedBy(reach);
    const thief = agent('payments', 1, { ...refund, id: 'pay-back', examples: [...REFUNDS, 'pay me back'] });
    const { wouldChange } = await reach.preview(thief);
    expect(wouldChange).toMatchObject({ since: null, asked: 5, leftOut: 0 });
    expect(wouldChange.changed.map(({ intent }) => intent).sort()).toEqual([...REFUNDS].sort());
    for (const { times, before: was, after } of wouldChange.changed) {
      expect(times).toBe(2);
      expect(was).toMatchObject({ outcome: 'routed', targetAgent: 'orders', capabilityId: 'refund' });
      expect(after).toMatchObject({ outcome: 'routed', targetAgent: 'payments', capabilityId: 'pay-back' });
    }
    expect(await recordedBy(reach)).toEqual(recorded);
    await expect(reach.history('payments')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    expect(await routeAll(reach, [...REFUNDS, ...LEAVES, ...REFUNDS])).toEqual(before);
  });

  test('what nobody would do any more once examples are removed', async () => {
    const bare = { ...refund, name: 'x1', description: '', examples: [] };
    const { wouldChange } = await reach.preview(agent('orders', 2, bare));
    const lost = wouldChange.changed.filter(({ after }) => after.targetAgent !== 'orders');
    expect(lost.map(({ intent }) => intent)).toEqual(expect.arrayContaining(['refund order 77']));
    expect(wouldChange.changed.map(({ intent }) => intent)).not.toContain(LEAVES[0]);
  });

  test('what it improves, as it then comes to pass', async () => {
    const intent = 'zap the thingamajig of client 9';
    const [unsure] = await routeAll(reach, [intent]);
    expect(unsure?.targetAgent).not.toBe('orders');
    const improved = agent('orders', 2, { ...refund, examples: [...refund.examples, intent] });
    const { wouldChange } = await reach.preview(improved);
    const change = wouldChange.changed.find((changed) => changed.intent === intent);
    expect(change?.before).toMatchObject({ outcome: unsure?.outcome, targetAgent: unsure?.targetAgent });
    await reach.publish(improved);
    const intents = [intent, ...REFUNDS, ...LEAVES];
    const later = await routeAll(reach, intents);
    expect(later[0]).toEqual({ outcome: 'routed', targetAgent: 'orders', capabilityId: 'refund' });
    expect(change?.after).toMatchObject({ outcome: 'routed', targetAgent: 'orders', confidence: 1 });
    expect(await reach.preview(improved)).toMatchObject({ manifestVersion: 2, wouldChange: { asked: 0 } });
  });

  test('hostile intents and payloads are asked again like others', async () => {
    const hostile = ['__proto__', `\u0000\u202e${'a'.repeat(5_000)}`, '{"intent":"x"}', '𝕳𝖊𝖑𝖕 💥'.repeat(50)];
    const payload = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "": null}');
    for (const intent of hostile) await reach.route(intent, payload);
    const { wouldChange } = await reach.preview(agent('sky', 2, { ...weather, examples: hostile }));
    const changed = wouldChange.changed.map(({ intent }) => intent);
    expect(changed).toEqual(expect.arrayContaining(hostile.map((intent) => intent.trim())));
    expect(wouldChange.leftOut).toBe(0);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

test('who is up makes no difference, and what rules send stays where it is', {
  timeout: 60_000,
}, async () => {
  const folder = await temporaryFolder();
  const routes = join(folder, 'routes.yaml');
  const rule = { id: 'vip', when: { intent: 'order 77' }, target: 'people/leave' };
  await writeFile(routes, JSON.stringify({ rules: [rule] }));
  const reach = await opened({ routes });
  onTestFinished(() => reach.close());
  const { instances: _, ...without } = agent('orders', 1, refund);
  await reach.publish(without);
  await reach.publish(agent('people', 1, leave));
  expect(await routeAll(reach, REFUNDS)).toMatchObject([
    { outcome: 'unreachable', targetAgent: 'orders' },
    { outcome: 'routed', targetAgent: 'people' },
    { outcome: 'unreachable', targetAgent: 'orders' },
  ]);
  const better = { ...refund, examples: [...refund.examples, 'undo my purchase'] };
  expect(await reach.preview(agent('orders', 2, better))).toMatchObject({
    wouldChange: { asked: 3, changed: [] },
  });
});

test('a dry run refuses what a publish would', { timeout: 60_000 }, async () => {
  const manifests = await temporaryFolder();
  await writeFile(join(manifests, 'sky.json'), JSON.stringify(agent('sky', 1, weather)));
  const reach = await opened({ manifests, strictCompat: true });
  onTestFinished(() => reach.close());
  await reach.publish(agent('orders', 2, refund));
  const refusals: [unknown, string][] = [
    [agent('orders', 1, refund), 'MANIFEST_VERSION_STALE'],
    [agent('orders', 2, weather), 'MANIFEST_VERSION_STALE'],
    [agent('orders', 3, weather), 'MANIFEST_BREAKING'],
    [agent('sky', 2, weather), 'MANIFEST_MANAGED_BY_FOLDER'],
    [{ agent_name: 'orders' }, 'MANIFEST_INVALID'],
    [null, 'MANIFEST_INVALID'],
  ];
  for (const [document, code] of refusals) {
    await expect(reach.preview(document)).rejects.toMatchObject({ code });
    await expect(reach.publish(document)).rejects.toMatchObject({ code });
  }
  await expect(reach.preview(agent('x', 1, weather), { recordedHours: 169 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test('a dry run ends with the service', { timeout: 60_000 }, async () => {
  const reach = await opened();
  await reach.publish(agent('orders', 1, refund));
  for (const intent of [...REFUNDS, ...LEAVES]) await reach.route(intent);
  const preview = reach.preview(agent('people', 1, leave));
  await Promise.all([expect(preview).rejects.toMatchObject({ code: 'CLOSED' }), reach.close()]);
});
