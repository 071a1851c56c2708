import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TuningStore, TuningVersion } from '../../src/tuning/tuning-store.js';
import { newTuning } from '../../src/tuning/tuning-version.js';
import { weightsNamed } from '../support/weights.js';
import type { OpenedStore } from './catalogue-store.contract.js';

/** What every TuningStore does, whatever it is kept in. `most`: versions that it keeps. */
export function tuningStoreContract(
  name: string,
  most: number,
  open: () => Promise<OpenedStore<TuningStore>>,
): void {
  describe(`${name} as a TuningStore`, () => {
    let opened: OpenedStore<TuningStore>;
    let store: TuningStore;
    const append = (version: string, top: number, team = 't') =>
      store.append(team, newTuning(weightsNamed(version), null, 1_000), top);
    const numbers = async () => (await store.versions('t')).map(({ number }) => number);

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.versions('t')).toEqual([]);
      expect(await store.shadow('t')).toBeNull();
      expect(await store.weights('t', 1)).toBeUndefined();
      expect(await store.rollBack('t', 0, 5)).toBe(false);
      expect(await store.rollBack('t', 1, 5)).toBe(false);
    });

    test('gives back what was appended, newest first, of the same team', async () => {
      const tuned = {
        at: '2026-01-02T03:04:05.678Z',
        labels: 200,
        precision: 0.9,
        capabilities: { 'a/b': '0'.repeat(64) },
      };
      const first = weightsNamed('tuned-1', { tuned });
      const noted = newTuning(first, 'a \u0000 note 备注', 1_000);
      const { weights: _, ...kept } = noted;
      const version: TuningVersion = { ...kept, number: 1, rolledBackAtMs: null };
      expect(await store.append('t', noted, 0)).toEqual(version);
      await append('tuned-2', 1);
      const versions = await store.versions('t');
      expect(versions).toMatchObject([{ number: 2, weightsVersion: 'tuned-2' }, version]);
      expect(versions[1]).toEqual(version);
      expect(await store.weights('t', 1)).toEqual(first);
      expect(await store.weights('t', 2)).toEqual(weightsNamed('tuned-2'));
      expect(await store.versions('u')).toEqual([]);
      expect(await store.weights('u', 1)).toBeUndefined();
      expect(await append('tuned-1', 0, 'u')).toMatchObject({ number: 1 });
    });

    test('appends for the first of two who saw the same top', async () => {
      const appended = await Promise.all([append('tuned-1', 0), append('tuned-2', 0)]);
      expect(appended).toEqual([expect.objectContaining({ number: 1 }), undefined]);
      expect(await numbers()).toEqual([1]);
      expect(await append('tuned-2', 7)).toBeUndefined();
    });

    test('takes the top back once, keeps it, and gives its number to nobody else', async () => {
      await append('tuned-1', 0);
      await append('tuned-2', 1);
      expect(await store.rollBack('t', 1, 5)).toBe(false);
      expect(await Promise.all([store.rollBack('t', 2, 5), store.rollBack('t', 2, 6)])).toEqual([
        true,
        false,
      ]);
      expect(await store.versions('t')).toMatchObject([
        { number: 2, rolledBackAtMs: 5 },
        { number: 1, rolledBackAtMs: null },
      ]);
      expect(await store.weights('t', 2)).toEqual(weightsNamed('tuned-2'));
      expect(await append('tuned-3', 2)).toBeUndefined();
      expect(await append('tuned-3', 1)).toMatchObject({ number: 3 });
      expect(await store.rollBack('t', 3, 7)).toBe(true);
      expect(await store.rollBack('t', 1, 8)).toBe(true);
      expect(await append('tuned-4', 0)).toMatchObject({ number: 4 });
    });

    test('lets go of the oldest of too many, first of all of those that were rolled back', async () => {
      await append('tuned-1', 0);
      for (let number = 2; number <= most + 1; number += 1) {
        await append(`tuned-${number}`, 1);
        await store.rollBack('t', number, 5);
      }
      const kept = await numbers();
      expect(kept).toHaveLength(most);
      expect([kept[0], kept.at(-2), kept.at(-1)]).toEqual([most + 1, 3, 1]);
      expect(await store.weights('t', 2)).toBeUndefined();
      expect(await store.weights('t', 1)).toEqual(weightsNamed('tuned-1'));
    });

    test('lets go of the oldest where none was rolled back', async () => {
      for (let number = 1; number <= most + 1; number += 1) await append(`tuned-${number}`, number - 1);
      const kept = await numbers();
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([most, most + 1, 2]);
      expect(await store.rollBack('t', most + 1, 5)).toBe(true);
      expect(await append('tuned-again', most)).toMatchObject({ number: most + 2 });
    });

    test('keeps one shadow of a team, until there is none', async () => {
      await store.setShadow('t', { weights: weightsNamed('tuned-1'), sinceMs: 1 });
      const shadow = { weights: weightsNamed('tuned-2'), sinceMs: 2 };
      await store.setShadow('t', shadow);
      expect(await store.versions('t')).toEqual([]);
      expect(await store.shadow('t')).toEqual(shadow);
      expect(await store.shadow('u')).toBeNull();
      await store.setShadow('t', null);
      expect(await store.shadow('t')).toBeNull();
    });

    test('is not changed by what is done to weights outside', async () => {
      const weights = weightsNamed('tuned-1', { thresholds: { global: 0.5, by_capability: {} } });
      await store.append('t', newTuning(weights, null, 1_000), 0);
      await store.setShadow('t', { weights, sinceMs: 1 });
      weights.thresholds.global = 0.9;
      const kept = { global: 0.5, by_capability: {} };
      expect(await store.weights('t', 1)).toMatchObject({ thresholds: kept });
      expect((await store.shadow('t'))?.weights).toMatchObject({ thresholds: kept });
    });
  });
}
