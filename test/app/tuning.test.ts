import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createReach, type Reach, type ReachOptions } from '../../src/app.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Weights } from '../../src/routing/weights.js';
import type { Decision } from '../../src/wire/route.js';
import { captured } from '../cli/captured.js';
import { serviceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MANIFESTS = ['accounts', 'refunds', 'parking', 'meals', 'leave'].map((agent_name) => ({
  agent_name,
  manifest_version: 1,
  capabilities: [{ id: 'show', name: `Shows ${agent_name}`, examples: [`tell me about my ${agent_name}`] }],
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
}));

async function opened(options: ReachOptions = {}): Promise<Reach> {
  const reach = await createReach({
    logLevel: 'silent',
    englishModel: false,
    probes: false,
    tickets: false,
    ...options,
  });
  onTestFinished(() => reach.close());
  return reach;
}

/** The weights in force under another name, with all of routing's own numbers changed by it. */
function tunedFrom({ features, thresholds, ...weights }: Weights, version: string, factor: number): Weights {
  return {
    ...weights,
    version,
    features: features.map(({ name, weight, weight_with_payload }) => ({
      name,
      weight: weight * factor,
      weight_with_payload,
    })),
    thresholds: { ...thresholds, global: factor / 10 },
    top_k: factor,
  };
}

/** That every number of a decision is one of these weights. */
function expectMadeBy({ thresholds, top_k, features }: Weights, decision: Decision): void {
  const { threshold, candidates, signalWeights } = decision;
  expect(threshold).toBe(thresholds.global);
  if (signalWeights === undefined) {
    expect(candidates).toHaveLength(top_k);
    return;
  }
  // An explained one lists all candidates.
  expect(signalWeights).toEqual(Object.fromEntries(features.map(({ name, weight }) => [name, weight])));
  for (const { relevance, signals = {} } of candidates) {
    const sum = features.reduce((total, { name, weight }) => total + weight * (signals[name] ?? 0), 0);
    expect(relevance).toBeCloseTo(sum, 6);
  }
}

async function fileOf(weights: Weights): Promise<string> {
  const file = join(await temporaryFolder(), `${weights.version}.json`);
  await writeFile(file, JSON.stringify(weights));
  return file;
}

test('while weights are applied and taken back under load, each decision is made by one version, and names it', async () => {
  const reach = await opened();
  for (const manifest of MANIFESTS) await reach.publish(manifest);
  const own = reach.weights();
  const tuned = [1, 2, 3, 4].map((factor) => tunedFrom(own, `tuned-${factor}`, factor));
  const byVersion = new Map([own, ...tuned].map((weights) => [weights.version, weights]));

  let changing = true;
  const seen = new Set<string>();
  const load = Array.from({ length: 8 }, async (_, lane) => {
    for (let count = 0; changing; count += 1) {
      // New texts wait for the model in the middle of their decision; known ones come from a cache of candidates.
      const intent = `where do I leave my car${count % 2 === 0 ? `, ${lane} of ${count}` : ''}`;
      const decision = await reach.route({ intent, explain: lane % 2 === 0 });
      expectMadeBy(byVersion.get(decision.weightsVersion) ?? own, decision);
      seen.add(decision.weightsVersion);
    }
  });
  const change = async () => {
    for (let round = 0; round < 20; round += 1) {
      const applied = tuned.slice(0, 1 + (round % tuned.length));
      for (const weights of applied) {
        await reach.applyWeights(weights);
        expect(reach.threshold).toBe(weights.thresholds.global);
        await reach.route(`a pause of ${round} under ${weights.version}`);
      }
      for (const _ of applied) await reach.rollBackWeights();
      await reach.route(`a pause after ${round}`);
    }
  };
  const changes = change().finally(() => {
    changing = false;
  });
  await Promise.all([...load, changes]);
  expect(seen).toEqual(new Set(byVersion.keys()));
  expect(reach.weights()).toEqual(own);
}, 120_000);

test('what was applied is in force after a restart, and what was taken back is not, also after kill -9', async () => {
  const folder = await temporaryFolder();
  const args = [
    '--data',
    join(folder, 'data'),
    '--manifests',
    folder,
    '--port',
    '0',
    '--english-model',
    'false',
  ];
  await writeFile(join(folder, 'accounts.json'), JSON.stringify(MANIFESTS[0]));
  const start = () => serviceProcess(args);
  const run = async (url: string, ...command: string[]) => {
    const { code, out, err } = await captured([...command, '--url', url]);
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const versionOf = async (url: string) =>
    JSON.parse(await run(url, 'route', 'my account, please', '--json', '--threshold', '0')).weights_version;

  let service = await start();
  const own = await versionOf(service.url);
  const weights = (await (await fetch(`${service.url}/api/v1/tuning/weights`)).json()) as Weights;
  const first = tunedFrom(weights, 'tuned-1', 3);
  const second = tunedFrom(weights, 'tuned-2', 3);
  await run(service.url, 'tune', 'apply', await fileOf(first), '--note', 'by hand');
  await run(service.url, 'tune', 'shadow', await fileOf(second));
  expect(await versionOf(service.url)).toBe('tuned-1');
  await service.end('SIGKILL');

  service = await start();
  expect(await versionOf(service.url)).toBe('tuned-1');
  expect(await run(service.url, 'tune', 'history')).toMatch(
    /tuned-1 +in force .* by hand\nin the shadow: tuned-2/,
  );
  await run(service.url, 'tune', 'apply', await fileOf(second), '--based-on', '1');
  await run(service.url, 'tune', 'rollback');
  await service.end('SIGKILL');

  service = await start();
  expect(await versionOf(service.url)).toBe('tuned-1');
  expect(await run(service.url, 'tune', 'rollback')).toBe(`number 0 is in force: ${own}\n`);
  await service.end('SIGTERM');

  service = await start();
  expect(await versionOf(service.url)).toBe(own);
  const past = await captured(['tune', 'rollback', '--url', service.url]);
  expect([past.code, past.err]).toEqual([1, expect.stringContaining('is in force already')]);
  expect(await run(service.url, 'tune', 'history')).toMatch(
    /tuned-2 +rolled back .*\n.* tuned-1 +rolled back/,
  );
}, 240_000);

test('after a restart with vectors of another background the configured weights serve, and the doctor says so', async () => {
  const data = join(await temporaryFolder(), 'data');
  const before = await opened({ data });
  const own = before.weights();
  await before.applyWeights(tunedFrom(own, 'tuned-1', 3));
  await before.close();
  const background = { ...own.background, main: { han: [], other: [] } };
  const after = await opened({ data, weights: await fileOf({ ...own, version: 'bare', background }) });
  expect(after.weights().version).toBe('bare');
  expect((await after.tuning()).current).toMatchObject({ number: 0, weightsVersion: 'bare' });
  const { findings } = await after.doctor();
  expect(findings.filter(({ check }) => check === 'foreign_weights')).toMatchObject([
    { severity: 'warning', subject: 'tuned-1', sentence: expect.stringContaining('another background') },
  ]);
}, 60_000);

test('a threshold for a capability that is gone is taken, and told by the doctor', async () => {
  const reach = await opened();
  await reach.publish(MANIFESTS[0]);
  const own = reach.weights();
  const thresholds = { ...own.thresholds, by_capability: { 'accounts/show': 0.31, 'lost/show': 0.9 } };
  await reach.applyWeights({ ...own, version: 'tuned-1', thresholds });
  expect((await reach.route({ intent: 'show my accounts' })).threshold).toBe(0.31);
  const { findings } = await reach.doctor();
  expect(findings.filter(({ check }) => check === 'doubtful_thresholds')).toMatchObject([
    { severity: 'note', subject: 'lost/show' },
  ]);
}, 60_000);

test('weights that a caller changes after it handed them over, or got them, decide as they were', async () => {
  const reach = await opened();
  await reach.publish(MANIFESTS[0]);
  const tuned = structuredClone(tunedFrom(reach.weights(), 'tuned-1', 3));
  await reach.applyWeights(tuned);
  await reach.shadowWeights(tuned);
  tuned.thresholds.global = 1;
  reach.weights().thresholds.global = 0.9;
  expect((await reach.route({ intent: 'show my accounts' })).threshold).toBe(0.3);
  expect(reach.weights().thresholds.global).toBe(0.3);
}, 60_000);

test('more thresholds of capabilities than weights may have are refused before they are looked at', async () => {
  const reach = await opened();
  const own = reach.weights();
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`agent/${i}`, i === 0 ? 'none' : 0.5]));
  const withThresholds = (by_capability: object) => ({
    ...own,
    version: 'tuned-1',
    thresholds: { ...own.thresholds, by_capability },
  });
  await expect(reach.applyWeights(withThresholds(many(100_000)))).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    errors: [{ pointer: '/thresholds/by_capability', expected: expect.stringContaining('10000') }],
  });
  const most = { ...many(10_000), 'agent/0': 0.5 };
  expect((await reach.applyWeights(withThresholds(most))).current.number).toBe(1);
}, 60_000);

test('over HTTP weights are applied, taken back and put into the shadow, and each refusal has its code', async () => {
  const reach = await opened();
  const app = await createHttpApp(reach, new WorkGate(), pino({ level: 'silent' }));
  onTestFinished(() => app.close());
  const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
    const response = await app.inject({ method, url: `/api/v1/tuning${path}`, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.json() };
  };
  const own = (await call('GET', '/weights')).body;
  expect(own).toEqual(reach.weights());
  const weights = tunedFrom(own, 'tuned-1', 3);

  const applied = await call('POST', '', { weights, note: 'by hand', based_on: 0 });
  expect(applied).toMatchObject({
    status: 200,
    body: { current: { number: 1, weights_version: 'tuned-1', note: 'by hand', rolled_back_at: null } },
  });
  expect(await call('GET', '')).toEqual({ status: 200, body: applied.body });
  expect(await call('POST', '', { weights: { ...weights, version: 'tuned-2' }, based_on: 0 })).toMatchObject({
    status: 409,
    body: { code: 'TUNING_CONFLICT' },
  });
  expect(await call('POST', '', { weights: { ...weights, format: 2 } })).toMatchObject({
    status: 422,
    body: { code: 'INVALID_REQUEST', errors: [{ pointer: '/weights/format' }] },
  });
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', '/shadow'],
  ] as const) {
    const foreign = { weights: { ...weights, model_sha256: 'f'.repeat(64) } };
    expect(await call(method, path, foreign)).toMatchObject({
      status: 422,
      body: { code: 'WEIGHTS_FOREIGN' },
    });
  }
  expect((await call('PUT', '/shadow', { weights: own })).body.shadow).toMatchObject({
    weights_version: own.version,
  });
  expect((await call('DELETE', '/shadow')).body.shadow).toBeNull();
  expect(await call('POST', '/rollback', {})).toMatchObject({
    status: 200,
    body: { current: { number: 0 } },
  });
  expect(await call('POST', '/rollback', {})).toMatchObject({
    status: 409,
    body: { code: 'TUNING_AT_FIRST' },
  });
}, 60_000);

test('the library refuses what is no file of weights, with every fault', async () => {
  const reach = await opened();
  await expect(reach.applyWeights({ ...reach.weights(), format: 2, top_k: 0 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    errors: [{ pointer: '/format' }, { pointer: '/top_k' }],
  });
  await expect(reach.shadowWeights(undefined)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(reach.applyWeights(reach.weights(), { basedOn: -1 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    errors: [{ pointer: '/basedOn' }],
  });
}, 60_000);
