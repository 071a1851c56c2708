import { afterAll, expect, test } from 'vitest';
import { createReach } from '../../src/app.js';

const reach = await createReach({ manifests: null, data: null, logLevel: 'silent' });
afterAll(() => reach.close());

const agent = (name: string, ...capabilities: readonly object[]) => ({
  agent_name: name,
  manifest_version: 1,
  capabilities,
});

const refund = {
  id: 'refund',
  name: 'Refund an order',
  description: 'Pays a customer back for an order.',
  examples: [
    'I want my money back for order 123',
    'refund my last order please',
    'pay me back, the chair is broken',
    'return the money for this purchase',
    'please refund what I paid',
  ],
};
const payBack = {
  id: 'pay-back',
  name: 'Pay back a purchase',
  description: 'Gives a customer the money back for a purchase.',
  examples: [
    'give me my money back for order 77',
    'refund this purchase please',
    'pay back what I paid, the lamp is broken',
    'I want a refund for my last purchase',
    'return my money please',
  ],
};
const leave = {
  id: '请假',
  name: '申请年假',
  description: '为员工提交请假申请。',
  examples: ['我想请三天年假', '帮我请明天的假', '下周一请一天病假', '我要休年假', '提交一个请假申请'],
};
const dayOff = {
  id: '休假',
  name: '提交休假申请',
  description: '帮员工申请休假。',
  examples: ['我想休三天年假', '帮我申请明天休假', '下周三请一天假', '我要请年假', '提交休假申请'],
};
const weather = {
  id: 'weather',
  name: '天气 Weather',
  description: '查询某地的天气预报。Tells the weather of a place.',
  examples: ['明天会下雨吗', '北京天气怎么样', 'will it rain tomorrow', 'how warm is it in Paris'],
};
const server = {
  id: 'restart',
  name: 'Restart a server',
  description: 'Stops a machine and starts it again.',
  examples: ['reboot web-3', 'the database machine hangs, restart it', '重启服务器', 'power cycle the host'],
};

await reach.publish(agent('refunds', refund, weather));
await reach.publish(agent('leave', leave));

const pairsOf = (overlaps: readonly { capability: string; other: string }[] | null) =>
  overlaps?.map(({ capability, other }) => [capability, other]);

test('a capability that takes the intents of another is named, with what was measured and what would help', async () => {
  const { overlaps } = await reach.publish(agent('payments', payBack, server));
  expect(pairsOf(overlaps)).toEqual([['payments/pay-back', 'refunds/refund']]);
  const [overlap] = overlaps ?? [];
  const { toOther, fromOther } = overlap ?? { toOther: undefined, fromOther: undefined };
  expect([toOther?.examples, fromOther?.examples]).toEqual([5, 5]);
  expect((toOther?.taken ?? 0) + (fromOther?.taken ?? 0)).toBeGreaterThanOrEqual(3);
  expect(payBack.examples).toContain(overlap?.closestExamples?.own);
  expect(refund.examples).toContain(overlap?.closestExamples?.other);
  expect(overlap?.tellingWords.own).toContain('lamp');
  expect(overlap?.tellingWords.other).toContain('chair');
  expect(overlap?.tellingWords.own).not.toContain('refund');
});

test('in Chinese as in English, with whole words', async () => {
  const { overlaps } = await reach.publish(agent('holidays', dayOff));
  expect(pairsOf(overlaps)).toEqual([['holidays/休假', 'leave/请假']]);
  expect(overlaps?.[0]?.tellingWords.own).toContain('休假');
  expect(overlaps?.[0]?.tellingWords.other).toContain('病假');
});

test('the whole look tells the same, from both sides', async () => {
  expect(pairsOf(await reach.overlaps('refunds'))).toEqual([['refunds/refund', 'payments/pay-back']]);
  await expect(reach.overlaps('nobody')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
});

test('what has nothing to do with each other is no overlap, even by the same name', async () => {
  const namesake = { ...server, id: 'weather', name: '天气 Weather' };
  const { overlaps } = await reach.publish(agent('machines', namesake));
  expect(overlaps?.map(({ other }) => other)).not.toContain('refunds/weather');
});

test('what may stand in for each other takes nothing away', async () => {
  const schema = { type: 'object', properties: { place: { type: 'string' } } };
  const declared = { ...weather, id: 'forecast', input_schema: schema };
  await reach.publish(agent('forecasts', declared));
  const { overlaps } = await reach.publish(agent('forecasts-2', declared));
  expect(pairsOf(overlaps)?.flat()).not.toContain('forecasts/forecast');
});

test('without examples the texts alone are told to be the same', async () => {
  const bare = { id: 'print', name: 'Print labels', description: 'Prints address labels for parcels.' };
  await reach.publish(agent('labels', bare));
  const { overlaps } = await reach.publish(agent('labels-2', { ...bare, id: 'labels' }));
  expect(overlaps).toEqual([
    expect.objectContaining({
      other: 'labels/print',
      closestExamples: null,
      toOther: { examples: 0, taken: 0 },
      sentence: 'Their names and descriptions say the same; no examples were routed.',
      tellingWords: { own: [], other: [] },
    }),
  ]);
});
