import { expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type RecordedDecision } from '../../src/app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function opened(data: string): Promise<Reach> {
  const reach = await createReach({ logLevel: 'silent', data, englishModel: false, probes: false });
  onTestFinished(() => reach.close());
  return reach;
}

async function allOf(decisions: AsyncIterable<RecordedDecision>): Promise<RecordedDecision[]> {
  const all: RecordedDecision[] = [];
  for await (const decision of decisions) all.push(decision);
  return all;
}

test('what was decided, and what became of it, outlives the service', { timeout: 120_000 }, async () => {
  const data = await temporaryFolder();
  const first = await opened(data);
  await first.publish({
    agent_name: 'report-agent',
    manifest_version: 1,
    capabilities: [{ id: 'weekly', name: '生成周报', examples: ['生成本周销售周报'] }],
    instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
  });
  const decision = await first.route('生成本周销售周报', { team: 'sales' }, { userId: 'anna' });
  await first.dispatch({ intent: '生成本周销售周报', userId: 'anna', retryPolicy: { maxAttempts: 1 } });
  const report = { status: 'completed', latencyMs: 120, rightCapability: 'report-agent/weekly' } as const;
  expect(await first.outcome(decision.routeId, report)).toEqual({ routeId: decision.routeId });
  expect(first.health().records).toMatchObject({ state: 'ok', lost: 0 });
  await first.close();

  const second = await opened(data);
  const both = await allOf(second.exportRoutes({ intent: '周报' }));
  expect(both).toHaveLength(2);
  // In whichever order, where both were decided within a millisecond.
  const routed = both.find(({ routeId }) => routeId === decision.routeId);
  const dispatched = both.find(({ routeId }) => routeId !== decision.routeId);
  expect(routed).toMatchObject({
    intent: '生成本周销售周报',
    payloadFields: { team: 'string' },
    outcome: 'routed',
    targetAgent: 'report-agent',
    addrVersion: decision.addrVersion,
    candidates: [{ capabilityId: 'weekly' }],
    reported: { status: 'completed', latencyMs: 120 },
  });
  expect(dispatched).toMatchObject({ payloadFields: {}, reported: null });
  // The same person, under a name that tells nobody who it is.
  expect(routed?.user).toMatch(/^[0-9a-f]{64}$/);
  expect(dispatched?.user).toBe(routed?.user);
  await expect(second.outcome(decision.routeId, report)).rejects.toMatchObject({ code: 'OUTCOME_REPORTED' });

  const { minutes, days } = await second.trend('report-agent');
  expect(minutes.reduce((sum, { routed: count }) => sum + count, 0)).toBe(2);
  expect(days.at(-1)).toMatchObject({ registered: 1, failed: 1 });
});
