import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReach, type Reach, type RecordedDecision } from '../../src/app.js';

const agent = (name: string, version: number, ...capabilities: readonly object[]) => ({
  agent_name: name,
  manifest_version: version,
  capabilities,
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
});

const refund = {
  id: 'refund',
  name: 'Refund an order',
  description: 'Pays a customer back for an order.',
  examples: ['I want my money back for order 123', 'refund my last order please', '我要退款'],
};
const leave = {
  id: 'leave',
  name: '申请年假',
  description: '为员工提交请假申请。',
  examples: ['我想请三天年假', '帮我请明天的假', 'I want a day off'],
};
const weather = {
  id: 'weather',
  name: 'Weather forecast',
  description: 'Tells the weather of a place.',
  examples: ['will it rain tomorrow', '北京天气怎么样'],
};

const REFUNDS = ['please give me back the money for my order', 'refund order 77', '这个订单请退款给我'];
const LEAVES = ['请帮我申请下周一的年假', 'I would like to take tomorrow off'];

/** As many decisions as are recorded; nothing of a dry run may be among them. */
async function recordedBy(reach: Reach): Promise<RecordedDecision[]> {
  const all: RecordedDecision[] = [];
  for await (const decision of reach.exportRoutes()) all.push(decision);
  return all;
}

describe('a dry run', () => {
  let reach: Reach;
  beforeAll(async () => {
    reach = await createReach({ manifests: null, data: null, logLevel: 'silent', probes: false });
    await reach.publish(agent('orders', 1, refund));
    await reach.publish(agent('people', 1, leave));
    await reach.publish(agent('sky', 1, weather));
  });
  afterAll(() => reach.close());

  test('of a catalogue of which nothing is recorded changes nothing', async () => {
    const { wouldChange, ...answer } = await reach.preview(agent('orders', 2, weather));
    expect(wouldChange).toEqual({ since: null, asked: 0, changed: [], leftOut: 0 });
    expect(answer).toMatchObject({
      agentName: 'orders',
      manifestVersion: 2,
      catalogueVersion: 3,
      dryRun: true,
    });
    expect(answer.breaking.map(({ kind }) => kind)).toEqual(['capability_removed']);
    expect(answer.overlaps?.map(({ other }) => other)).toEqual(['sky/weather']);
    expect(reach.agent('orders').manifestVersion).toBe(1);
  });

  test('names the intents that another agent would take, and those that nobody would', async () => {
    for (const intent of [...REFUNDS, ...LEAVES, ...REFUNDS])
      console.log((await reach.route(intent)).outcome);
    const before = await recordedBy(reach);
    const start = performance.now();
    const thief = agent('payments', 1, {
      ...refund,
      id: 'pay-back',
      examples: [...refund.examples, ...REFUNDS],
    });
    console.dir(await reach.preview(thief), { depth: 9 });
    console.log(performance.now() - start);
    console.dir(
      await reach.preview(
        agent('orders', 2, { ...refund, id: 'x', description: '', name: 'x', examples: [] }),
      ),
      { depth: 9 },
    );
    expect(await recordedBy(reach)).toEqual(before);
  });
});
