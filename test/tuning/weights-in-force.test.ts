import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { Weights } from '../../src/routing/weights.js';
import { MemoryTuningStore } from '../../src/storage/memory/tuning-store.js';
import type { TuningStore } from '../../src/tuning/tuning-store.js';
import { newTuning } from '../../src/tuning/tuning-version.js';
import { WeightsInForce } from '../../src/tuning/weights-in-force.js';
import { HandClock } from '../support/hand-clock.js';
import { testWeights, weightsNamed } from '../support/weights.js';

const first = weightsNamed('tuned-1');
const second = weightsNamed('tuned-2');
const third = weightsNamed('tuned-3');
const configured = weightsNamed('configured');
const ANOTHER_MODEL = 'f'.repeat(64);

let store: TuningStore;
let clock: HandClock;
let inForce: WeightsInForce;
const open = (weights = configured) => WeightsInForce.open({ store, team: 't', configured: weights, clock });

beforeEach(async () => {
  store = new MemoryTuningStore();
  clock = new HandClock();
  inForce = await open();
});

const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

/** The code of what a call is refused with, or the number that it puts into force. */
async function endOf(call: Promise<{ current: { number: number } }>): Promise<string | number> {
  try {
    return (await call).current.number;
  } catch (thrown) {
    return thrown instanceof ReachError ? thrown.code : String(thrown);
  }
}

test('what the configuration names is in force at first, as number 0', async () => {
  expect(inForce.current).toBe(configured);
  expect(await inForce.tuning()).toEqual({
    current: {
      number: 0,
      weightsVersion: 'configured',
      appliedAt: null,
      note: null,
      tuned: null,
      rolledBackAt: null,
    },
    history: [],
    shadow: null,
  });
});

test('applied weights are in force at once, and told with their note and what they were tuned on', async () => {
  const tuned = { at: '2026-01-02T03:04:05.678Z', labels: 200, precision: 0.9, capabilities: {} };
  clock.pass(1_500);
  const weights = { ...first, tuned } as Weights;
  const { current, history } = await inForce.apply(weights, { note: 'after the fair' });
  expect(inForce.current).toBe(weights);
  const { capabilities: _, ...told } = tuned;
  expect(current).toEqual({
    number: 1,
    weightsVersion: 'tuned-1',
    appliedAt: '1970-01-01T00:00:01.500Z',
    note: 'after the fair',
    tuned: told,
    rolledBackAt: null,
  });
  expect(history).toEqual([current]);
});

test('of two applies at once one wins, and the other is a conflict, whether they name what they build on or not', async () => {
  const applies = [inForce.apply(first, {}), inForce.apply(second, {})];
  expect(await Promise.all(applies.map(endOf))).toEqual([1, 'TUNING_CONFLICT']);
  const based = [inForce.apply(second, { basedOn: 1 }), inForce.apply(third, { basedOn: 1 })];
  expect(await Promise.all(based.map(endOf))).toEqual([2, 'TUNING_CONFLICT']);
  expect(inForce.current).toBe(second);
});

test('of an apply and a rollback at once the first one wins', async () => {
  await inForce.apply(first, {});
  const both = [inForce.rollBack({}), inForce.apply(second, {})];
  expect(await Promise.all(both.map(endOf))).toEqual([0, 'TUNING_CONFLICT']);
  expect(inForce.current).toBe(configured);
});

test('who builds on another number than the one in force is refused', async () => {
  await inForce.apply(first, {});
  await expect(inForce.apply(second, { basedOn: 0 })).rejects.toEqual(
    refused('TUNING_CONFLICT', /^Number 1 \(tuned-1\) is in force by now, not number 0\.$/),
  );
  await expect(inForce.rollBack({ basedOn: 0 })).rejects.toEqual(refused('TUNING_CONFLICT', /not number 0/));
  expect(inForce.current).toBe(first);
});

test('the same version with another content is a conflict, also with what was rolled back or configured', async () => {
  await inForce.apply(first, {});
  await inForce.rollBack({});
  const otherwise = { ...first, top_k: 7 };
  await expect(inForce.apply(otherwise, {})).rejects.toEqual(
    refused('TUNING_CONFLICT', /tuned-1 of another content/),
  );
  await expect(inForce.apply({ ...configured, top_k: 7 }, {})).rejects.toEqual(
    refused('TUNING_CONFLICT', /configured of another content/),
  );
});

test('what is in force already is taken without a new number, and what was rolled back can come again', async () => {
  expect(await endOf(inForce.apply({ ...configured }, {}))).toBe(0);
  expect(await endOf(inForce.apply(first, {}))).toBe(1);
  expect(await endOf(inForce.apply({ ...first }, {}))).toBe(1);
  await inForce.rollBack({});
  expect(await endOf(inForce.apply(first, {}))).toBe(2);
  expect((await inForce.tuning()).history).toMatchObject([
    { number: 2, weightsVersion: 'tuned-1', rolledBackAt: null },
    { number: 1, weightsVersion: 'tuned-1', rolledBackAt: '1970-01-01T00:00:00.000Z' },
  ]);
});

test('a rollback leads to the newest that was not rolled back, and one past the first is refused', async () => {
  for (const weights of [first, second, third]) await inForce.apply(weights, {});
  await inForce.rollBack({});
  await inForce.apply(weightsNamed('tuned-4'), {});
  const path: string[] = [];
  while ((await endOf(inForce.rollBack({}))) !== 'TUNING_AT_FIRST') path.push(inForce.current.version);
  expect(path).toEqual(['tuned-2', 'tuned-1', 'configured']);
  await expect(inForce.rollBack({})).rejects.toEqual(
    refused('TUNING_AT_FIRST', /^What the configuration names \(configured\) is in force already\.$/),
  );
  expect((await inForce.tuning()).history.map(({ rolledBackAt }) => rolledBackAt)).not.toContain(null);
});

test.each([
  [
    'model',
    { model_sha256: ANOTHER_MODEL },
    /tuned-1 belong to the model ffffffffffff, and 000000000000 serves\.$/,
  ],
  [
    'English model',
    { english_model: { name: 'en', sha256: ANOTHER_MODEL } },
    /know the model for English en/,
  ],
  [
    'background',
    { background: { ...testWeights.background, main: { han: [1], other: [] } } },
    /another background/,
  ],
] as const)('a file of another %s is refused, as the shadow too', async (_, other, message) => {
  const foreign = weightsNamed('tuned-1', other as unknown as Partial<Weights>);
  await expect(inForce.apply(foreign, {})).rejects.toEqual(refused('WEIGHTS_FOREIGN', message));
  await expect(inForce.setShadow(foreign)).rejects.toEqual(refused('WEIGHTS_FOREIGN', message));
  expect(await inForce.tuning()).toMatchObject({ current: { number: 0 }, history: [], shadow: null });
});

test('the shadow is told, replaced and taken away, and is there after a restart', async () => {
  expect(inForce.shadow).toBeUndefined();
  clock.pass(1_000);
  const { shadow } = await inForce.setShadow(first);
  expect(shadow).toEqual({ weightsVersion: 'tuned-1', since: '1970-01-01T00:00:01.000Z' });
  expect([inForce.shadow, inForce.current]).toEqual([first, configured]);
  expect((await open()).shadow).toEqual(first);
  expect((await inForce.setShadow(null)).shadow).toBeNull();
  expect([inForce.shadow, (await open()).shadow]).toEqual([undefined, undefined]);
});

test('after a restart the newest that was not rolled back is in force', async () => {
  await inForce.apply(first, {});
  await inForce.apply(second, {});
  expect((await open()).current).toEqual(second);
  await inForce.rollBack({});
  const again = await open();
  expect(again.current).toEqual(first);
  await again.rollBack({});
  expect((await open()).current).toBe(configured);
});

test('after a restart with another model the configured weights serve, until the others are taken back', async () => {
  await inForce.apply(first, {});
  await inForce.setShadow(second);
  const another = weightsNamed('other-model', { model_sha256: ANOTHER_MODEL });
  const again = await open(another);
  expect([again.current, again.shadow]).toEqual([another, undefined]);
  expect((await again.tuning()).current).toMatchObject({ number: 0, weightsVersion: 'other-model' });
  expect(again.misfits.map(({ sentence }) => sentence)).toEqual([
    'The weights tuned-1, applied as number 1, belong to the model 000000000000, and ffffffffffff serves: what the configuration names (other-model) serves.',
    'The weights tuned-2 belong to the model 000000000000, and ffffffffffff serves: nothing answers in the shadow of those in force.',
  ]);
  await again.rollBack({ basedOn: 0 });
  await again.setShadow(null);
  expect(again.misfits).toEqual([]);
  await expect(again.rollBack({})).rejects.toEqual(refused('TUNING_AT_FIRST', /other-model/));
});

test('weights that were kept in another format do not serve', async () => {
  const older = { ...first, format: 0 } as unknown as Weights;
  await store.append('t', newTuning(older, null, 1), 0);
  const again = await open();
  expect(again.current).toBe(configured);
  expect(again.misfits).toMatchObject([
    { weightsVersion: 'tuned-1', sentence: expect.stringMatching(/another format \(\/format: expected/) },
  ]);
  await again.apply(second, { basedOn: 0 });
  expect([again.current, again.misfits]).toEqual([second, []]);
});

test('who was overtaken by another process is told, and has what came first', async () => {
  await store.append('t', newTuning(first, null, 1), 0);
  await expect(inForce.apply(second, {})).rejects.toEqual(
    refused('TUNING_CONFLICT', /^Number 1 \(tuned-1\) came first\.$/),
  );
  expect(inForce.current).toEqual(first);
});

test('a reload takes over what another process changed, and keeps what it did not', async () => {
  const other = await open();
  await inForce.apply(first, {});
  await inForce.setShadow(second);
  const [mine, myShadow] = [inForce.current, inForce.shadow];
  await Promise.all([inForce.reload(), other.reload()]);
  expect([inForce.current === mine, inForce.shadow === myShadow]).toEqual([true, true]);
  expect([other.current, other.shadow]).toEqual([first, second]);
  await other.rollBack({});
  await other.setShadow(null);
  await inForce.reload();
  expect([inForce.current, inForce.shadow]).toEqual([configured, undefined]);
});

test('a reload that the store refuses changes nothing', async () => {
  await inForce.apply(first, {});
  const other = await open();
  await inForce.rollBack({});
  const away = new ReachError('STORE_UNAVAILABLE', 'away');
  const asked = vi.spyOn(store, 'shadow').mockRejectedValueOnce(away);
  onTestFinished(() => asked.mockRestore());
  await expect(other.reload()).rejects.toBe(away);
  expect(other.current).toEqual(first);
  await other.reload();
  expect(other.current).toBe(configured);
});
