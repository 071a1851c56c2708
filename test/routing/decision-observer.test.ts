import { expect, test } from 'vitest';
import { openCatalogue } from '../../benchmarks/support/open-catalogue.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import type { DecisionMade } from '../../src/routing/decision-observer.js';
import { sharedEmbedder } from '../support/shared-embedder.js';

async function observed() {
  const embedder = await sharedEmbedder();
  let intents = 0;
  const counting: Embedder = {
    model: embedder.model,
    status: () => embedder.status(),
    close: async () => {},
    embed: (texts, kind, options) => {
      intents += texts.length;
      return embedder.embed(texts, kind, options);
    },
  };
  const made: DecisionMade[] = [];
  let wanted = true;
  const observers = [
    { wantsExplained: () => wanted, decided: (it: DecisionMade) => void made.push(it) },
    { wantsExplained: () => false, decided: (it: DecisionMade) => void made.push(it) },
  ];
  const index = new ExactVectorIndex(embedder.model.dim);
  const { registry, router } = await openCatalogue(index, counting, undefined, observers);
  await registry.publish(
    { agent_name: 'reports', manifest_version: 1, capabilities: [{ id: 'weekly', name: 'Weekly report' }] },
    'api',
  );
  const embedded = intents;
  return {
    router,
    made,
    embeddedSince: () => intents - embedded,
    want: (explained: boolean) => {
      wanted = explained;
    },
  };
}

test('every observer is told of a decision, explained where one of them wants it', async () => {
  const { router, made, want } = await observed();
  const { decision } = await router.route({ intent: 'a weekly report' });
  expect(made).toHaveLength(2);
  expect(made[0]).toMatchObject({ request: { intent: 'a weekly report' }, decision });
  expect(made[0]?.explained).toMatchObject({
    routeId: decision.routeId,
    signalWeights: expect.any(Object),
    candidates: [{ signals: expect.any(Object) }],
  });
  want(false);
  await router.route({ intent: 'a weekly report' });
  expect(made[2]?.explained).toBeUndefined();
});

test('the candidates of a watched intent are kept as those of any other', async () => {
  const { router, embeddedSince } = await observed();
  for (let i = 0; i < 3; i += 1) await router.route({ intent: 'a weekly report' });
  expect(embeddedSince()).toBe(1);
});
