import { expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type RecordedDecision } from '../../src/app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

async function opened(data: string): Promise<Reach> {
  const reach = await createReach({ logLevel: 'silent', data, englishModel: false, probes: false });
  onTestFinished(() => reach.close());
  return reach;
}

async function recorded(reach: Reach): Promise<RecordedDecision[]> {
  const all: RecordedDecision[] = [];
  for await (const decision of reach.exportRoutes()) all.push(decision);
  return all;
}

const answered = (reach: Reach, count: number) =>
  until(() => reach.health().shadow.answered === count && reach.health().shadow.waiting === 0);

test('weights in the shadow: what they would have decided is kept with the records and compared, and outlives the service', {
  timeout: 180_000,
}, async () => {
  const data = await temporaryFolder();
  const first = await opened(data);
  await first.publish({
    agent_name: 'report-agent',
    manifest_version: 1,
    capabilities: [{ id: 'weekly', name: '生成周报' }],
    instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
  });
  const inForce = first.weights();
  const eager = { ...inForce, version: 'eager', thresholds: { global: 0, by_capability: {} } };
  await first.route('写一首诗');
  await first.shadowWeights(eager);
  const poem = await first.route('写一首诗');
  expect(poem).toMatchObject({ outcome: 'human', weightsVersion: inForce.version });
  await answered(first, 1);
  expect(first.health()).toMatchObject({ status: 'ok', shadow: { state: 'ok', answered: 1, leftOut: 0 } });
  await first.close();

  const second = await opened(data);
  expect((await second.tuning()).shadow).toMatchObject({ weightsVersion: 'eager' });
  await second.route('写一首诗');
  await answered(second, 1);
  await second.shadowWeights(null);
  await second.route('写一首诗');
  const shadow = {
    weightsVersion: 'eager',
    outcome: 'routed',
    targetAgent: 'report-agent',
    capabilityId: 'weekly',
    confidence: poem.confidence,
  };
  expect((await recorded(second)).map((decision) => decision.shadow)).toEqual([null, shadow, shadow, null]);
  // What is reported of one says it of the same intent too, at once.
  await second.outcome(poem.routeId, { status: 'refused', rightCapability: 'report-agent/weekly' });
  const { pairs } = await second.compareShadow(1);
  expect(pairs).toMatchObject([
    {
      weightsVersion: inForce.version,
      shadowWeightsVersion: 'eager',
      compared: 2,
      differing: 2,
      right: { labelled: 2, inForce: 0, shadow: 2 },
      changes: [{ inForce: { outcome: 'human' }, shadow: { capabilityId: 'weekly' }, times: 2 }],
    },
  ]);
  await expect(second.compareShadow(169)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});
