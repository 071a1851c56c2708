import { describe, expect, test } from 'vitest';
import { openCatalogue } from '../../benchmarks/support/open-catalogue.js';
import { CachedEmbedder } from '../../src/embedding/cached-embedder.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { ReachError } from '../../src/errors.js';
import type { ShadowVerdict } from '../../src/record/shadow-verdict.js';
import { ExactVectorIndex } from '../../src/retrieval/exact-vector-index.js';
import type { DecisionObserver } from '../../src/routing/decision-observer.js';
import { uncalibratedWeights, type Weights } from '../../src/routing/weights.js';
import { ShadowRouter } from '../../src/tuning/shadow-router.js';
import type { Decision } from '../../src/wire/route.js';
import { HandClock } from '../support/hand-clock.js';
import { sharedEmbedder } from '../support/shared-embedder.js';
import { until } from '../support/until.js';

const INTENTS = [
  '生成本周销售周报',
  'the weekly sales report',
  'convert the sheet',
  'what is the weather like',
];

function manifest(agentName: string, id: string, name: string, more: object = {}) {
  return {
    agent_name: agentName,
    manifest_version: 1,
    capabilities: [{ id, name, instance_strategy: 'counting' }],
    instances: ['a', 'b'].map((instance) => ({
      instance_id: instance,
      address: `http://127.0.0.1:9/${instance}`,
    })),
    ...more,
  };
}

/** A router that routes on whatever fits best, with weights in its shadow that are never sure enough; steps by hand. */
async function shadowed() {
  const model = await sharedEmbedder();
  const counts = { embedded: 0, chosen: 0 };
  let beforeEmbed = () => {};
  const counting: Embedder = {
    model: model.model,
    status: () => model.status(),
    close: async () => {},
    embed(texts, kind, options) {
      beforeEmbed();
      counts.embedded += texts.length;
      return model.embed(texts, kind, options);
    },
  };
  const nothingStored = { getMany: async () => new Map(), putMany: async () => {} };
  const prefix = { query: 'query: ', passage: 'passage: ' };
  const embedder = new CachedEmbedder(counting, { prefix, store: nothingStored, onStoreError: () => {} });
  const uncalibrated = uncalibratedWeights(model.model.hash);
  const weightsOf = (version: string, global: number): Weights => ({
    ...uncalibrated,
    version,
    thresholds: { ...uncalibrated.thresholds, global },
  });
  const observers: DecisionObserver[] = [];
  const strategies = {
    counting: {
      choose(open: readonly never[]) {
        counts.chosen += 1;
        return open[counts.chosen % open.length];
      },
    },
  };
  const index = new ExactVectorIndex(model.model.dim);
  const { registry, router, judged } = await openCatalogue(
    index,
    embedder,
    weightsOf('in-force', 0),
    observers,
    strategies,
  );
  await registry.publish(manifest('reports', 'weekly', '生成销售周报'), 'api');
  await registry.publish(manifest('sheets', 'convert', 'Convert a sheet'), 'api');

  const clock = new HandClock();
  const kept = new Map<string, ShadowVerdict>();
  const said: string[] = [];
  let weights: Weights | undefined = weightsOf('shadow', 1);
  let keep = async (routeId: string, verdict: ShadowVerdict) => {
    kept.set(routeId, verdict);
    return true;
  };
  const shadow = new ShadowRouter({
    ...judged,
    clock,
    weights: () => weights,
    keep: (...args) => keep(...args),
    report: (message) => said.push(message),
  });
  observers.push(shadow);
  const ask = async (intent: string) => (await router.route({ intent })).decision;
  /** Lets all that waits be answered. */
  const settle = async () => {
    const done = () => shadow.status().answered + shadow.status().leftOut;
    const all = done() + shadow.status().waiting;
    await until(() => {
      clock.pass(1_000);
      return done() === all;
    });
  };
  return {
    router,
    registry,
    judged,
    shadow,
    counts,
    clock,
    kept,
    said,
    ask,
    settle,
    weightsOf,
    setWeights(to: Weights | undefined) {
      weights = to;
    },
    setKeep(to: typeof keep) {
      keep = to;
    },
    onEmbed(work: () => void) {
      beforeEmbed = work;
    },
  };
}

/** What a caller sees of a decision, but for what is another each time. */
function seen({ routeId: _, timingMs: __, ...decision }: Decision) {
  return decision;
}

describe('weights in the shadow', () => {
  test('answer live intents behind the answers, and what they would have decided is kept', async () => {
    const { ask, settle, kept, shadow } = await shadowed();
    const decision = await ask('生成销售周报表');
    expect(decision).toMatchObject({ outcome: 'routed', targetAgent: 'reports', weightsVersion: 'in-force' });
    expect([...kept]).toEqual([]);
    await settle();
    const { confidence } = decision;
    const nobody = { outcome: 'human', targetAgent: null, capabilityId: null } as const;
    expect([...kept]).toEqual([[decision.routeId, { weightsVersion: 'shadow', ...nobody, confidence }]]);
    expect(shadow.status()).toEqual({
      state: 'ok',
      detail: 'shadow answered 1 intents in the shadow, 0 were left out, 0 wait.',
      answered: 1,
      leftOut: 0,
      waiting: 0,
    });
  });

  test('change no answer, take no turn, ask no strategy and embed nothing', async () => {
    const bare = await shadowed();
    bare.setWeights(undefined);
    const watched = await shadowed();
    const asked = [...INTENTS, ...INTENTS];
    for (const intent of asked) {
      const [alone, beside] = [await bare.ask(intent), await watched.ask(intent)];
      expect(seen(beside)).toEqual(seen(alone));
      await watched.settle();
    }
    expect(watched.shadow.status().answered).toBe(asked.length);
    expect(watched.counts).toEqual(bare.counts);
  });

  test('open no question', async () => {
    const { router, setWeights, weightsOf, settle, kept, ask } = await shadowed();
    setWeights(undecided(weightsOf('asking', 0.5)));
    const { routeId } = await ask('a report or a sheet');
    await settle();
    expect(kept.get(routeId)?.outcome).toBe('clarify');
    await expect(async () => router.route({ routeId, choice: 'reports/weekly' })).rejects.toMatchObject({
      code: 'ROUTE_UNKNOWN',
    });
  });

  test('choose among equals by what was true when it was decided, not by who has got the work since', async () => {
    const { registry, judged, ask, settle, kept, setWeights, weightsOf } = await shadowed();
    for (const agentName of ['one', 'other']) {
      const more = { dependencies: { max_concurrency: 2 } };
      await registry.publish(manifest(agentName, 'translate', 'Translate a letter', more), 'api');
    }
    setWeights(weightsOf('alike', 0));
    for (let round = 0; round < 4; round += 1) {
      const { routeId, targetAgent, capabilityId, instanceId } = await ask(`translate a letter ${round}`);
      judged.instances.begin(targetAgent ?? '', instanceId ?? '', capabilityId ?? '');
      await settle();
      expect(kept.get(routeId)).toMatchObject({ outcome: 'routed', targetAgent, capabilityId });
    }
  });

  test('are not asked where the caller names its target', async () => {
    const { router, settle, kept, shadow } = await shadowed();
    await router.route({ agentName: 'reports' });
    await settle();
    expect([kept.size, shadow.status().waiting]).toEqual([0, 0]);
  });

  test('may change while intents are answered: each is answered by one version, and counted for it', async () => {
    const { ask, settle, kept, shadow, setWeights, weightsOf } = await shadowed();
    const first = await ask('a weekly report');
    await settle();
    setWeights(weightsOf('newer', 0));
    const second = await ask('a weekly report');
    await settle();
    expect(kept.get(first.routeId)).toMatchObject({ weightsVersion: 'shadow', outcome: 'human' });
    expect(kept.get(second.routeId)).toMatchObject({ weightsVersion: 'newer', outcome: 'routed' });
    expect(shadow.status()).toMatchObject({ answered: 1, leftOut: 0 });
  });

  test('that are removed answer nothing any more, what waits included', async () => {
    const { ask, settle, kept, shadow, setWeights } = await shadowed();
    await ask('a weekly report');
    setWeights(undefined);
    await settle();
    await ask('a weekly report');
    expect(shadow.status()).toMatchObject({
      detail: 'No weights are in the shadow.',
      answered: 0,
      leftOut: 0,
      waiting: 0,
    });
    expect(kept.size).toBe(0);
  });

  test('that throw are told of once, counted as left out, and harm no answer', async () => {
    const { ask, settle, said, shadow, setKeep } = await shadowed();
    setKeep(() => Promise.reject(new ReachError('STORE_UNAVAILABLE', 'The disk is full.')));
    for (const intent of INTENTS) expect((await ask(intent)).outcome).toBe('routed');
    await settle();
    expect(said).toEqual(['shadow fails in the shadow: The disk is full.']);
    expect(shadow.status()).toMatchObject({ state: 'ok', answered: 0, leftOut: INTENTS.length });
  });

  test('leave out what is too much to wait for them, and count it', async () => {
    const { ask, settle, kept, shadow } = await shadowed();
    for (let round = 0; round < 120; round += 1) await ask('a weekly report');
    expect(shadow.status()).toMatchObject({ answered: 0, leftOut: 20, waiting: 100 });
    await settle();
    expect(shadow.status()).toMatchObject({ answered: 100, leftOut: 20, waiting: 0 });
    expect(kept.size).toBe(100);
  });

  test('leave out what was decided in another catalogue', async () => {
    const { ask, settle, kept, shadow, registry } = await shadowed();
    await ask('a weekly report');
    await registry.publish(manifest('letters', 'translate', 'Translate a letter'), 'api');
    await settle();
    expect([kept.size, shadow.status().leftOut]).toEqual([0, 1]);
  });

  test('rest nine times as long as an intent took, its lateness included, and a second at most', async () => {
    const { ask, kept, clock, setKeep } = await shadowed();
    let takes = 5;
    setKeep(async (routeId, verdict) => {
      clock.pass(takes);
      kept.set(routeId, verdict);
      return true;
    });
    for (let round = 0; round < 3; round += 1) await ask('a weekly report');
    expect(clock.delays).toEqual([1]);
    clock.pass(4);
    await until(() => kept.size === 1 && clock.delays.length === 1);
    // Three late, five of work.
    expect(clock.delays).toEqual([72]);
    takes = 500;
    clock.pass(71);
    expect(kept.size).toBe(1);
    clock.pass(1);
    await until(() => kept.size === 2 && clock.delays.length === 1);
    expect(clock.delays).toEqual([1_000]);
  });

  test('let go of what waits at the close', async () => {
    const { ask, kept, clock, shadow } = await shadowed();
    await ask('a weekly report');
    await shadow.close();
    clock.pass(1_000);
    await ask('a weekly report');
    expect([kept.size, shadow.status().waiting, clock.delays]).toEqual([0, 0, []]);
  });
});

/** Weights to which all candidates are alike, and nothing else is likely. */
function undecided(weights: Weights): Weights {
  const even = { bias: -0.2, slopes: {} };
  const unrelated = { without_payload: -1_000, with_payload: -1_000 };
  const params = { without_payload: even, with_payload: even, unrelated };
  return { ...weights, features: [], calibration: { ...weights.calibration, params } };
}
