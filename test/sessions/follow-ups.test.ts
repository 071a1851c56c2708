import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReach, type Decision, type Reach } from '../../src/app.js';
import { FOLLOW_UPS, NOBODYS_INTENTS, OTHER_INTENTS, type Turn } from './conversations.js';

const MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));

let reach: Reach;
beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent', manifests: MANIFESTS, routes: null, probes: false });
});
afterAll(() => reach.close());

let sessions = 0;

/** What is decided on the first intent, and on the next one alone and in the session of the first. */
async function decided([before, next]: Turn) {
  const first = await reach.route({ intent: before });
  const { targetAgent: agentName, capabilityId } = first;
  sessions += 1;
  const sessionId = `s${sessions}`;
  const at = '2026-01-02T03:04:05.678Z';
  const rounds = [{ at, intent: before, agentName, capabilityId, reply: null }];
  await reach.saveSession(sessionId, { intent: before, rounds }, 0);
  const alone = await reach.route({ intent: next });
  const inSession = await reach.route({ intent: next, sessionId });
  return { first, alone, inSession };
}

const sameTarget = (a: Decision, b: Decision) =>
  a.outcome === 'routed' && a.targetAgent === b.targetAgent && a.capabilityId === b.capabilityId;

async function allOf(turns: readonly Turn[]) {
  const all: Awaited<ReturnType<typeof decided>>[] = [];
  for (const turn of turns) all.push(await decided(turn));
  return all;
}

describe.each(['chinese', 'english'] as const)('in %s', (language) => {
  test('more than four fifths of the follow-ups go on with what was said', async () => {
    const turns = await allOf(FOLLOW_UPS[language]);
    const right = turns.filter(({ first, inSession }) => sameTarget(inSession, first));
    expect(right.length / turns.length).toBeGreaterThan(0.8);
    const alone = turns.filter(({ first, alone }) => sameTarget(alone, first));
    expect(alone.length / turns.length).toBeLessThan(0.25);
  });

  test('an intent for somebody else is not drawn to who served before', async () => {
    const turns = await allOf(OTHER_INTENTS[language]);
    const drawn = turns.filter(({ inSession }) => inSession.resumed);
    expect(drawn.length / turns.length).toBeLessThan(0.05);
    for (const { alone, inSession } of turns) {
      if (inSession.resumed) continue;
      expect(inSession).toMatchObject({ outcome: alone.outcome, targetAgent: alone.targetAgent });
    }
  });

  test('an intent for nobody stays for nobody', async () => {
    const turns = await allOf(NOBODYS_INTENTS[language]);
    const drawn = turns.filter(({ inSession }) => inSession.resumed);
    expect(drawn.length / turns.length).toBeLessThan(0.05);
  });
});

test('"and for last month?" is the report of last month, in both languages', async () => {
  const english = await decided(["summarise last week's KPIs", 'and for last month?']);
  expect(english.alone.outcome).toBe('human');
  expect(english.inSession).toMatchObject({
    outcome: 'routed',
    capabilityId: 'generate-weekly-summary',
    resumed: true,
  });
  const chinese = await decided(['生成本周销售周报摘要', '那上个月的呢？']);
  expect(chinese.alone.capabilityId).toBe('compare-periods');
  expect(chinese.inSession).toMatchObject({ capabilityId: 'generate-weekly-summary', resumed: true });
});

test('what was named, declared or sure by itself is not changed', async () => {
  const declared = await decided(['查一下订单 20230958 的物流', '我的年假余额还剩多少']);
  expect(declared.inSession).toMatchObject({ capabilityId: 'query-leave-balance', confidence: 1 });
  const sure = await decided(['where is my order 20231188', 'book a train to Hamburg for Tuesday morning']);
  expect(sure.inSession).toMatchObject({ capabilityId: 'book-trip' });
  expect(sure.inSession.resumed).toBeUndefined();
  const named = await reach.route({
    intent: 'and for last month?',
    capabilityId: 'chat-agent/small-talk',
    sessionId: 's1',
  });
  expect(named).toMatchObject({ capabilityId: 'small-talk', outcome: 'routed' });
});
