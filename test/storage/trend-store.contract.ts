import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOT_SEEN, PERIODS, type TrendStore } from '../../src/record/trend-store.js';
import { minute } from '../record/records.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const DAY = Date.UTC(2026, 0, 2);
const { hour: HOUR, minute: MINUTE } = PERIODS;
const row = ({ agentName: _, ...rest }: ReturnType<typeof minute>) => rest;

/** What every TrendStore does, whatever it is kept in. */
export function trendStoreContract(name: string, open: () => Promise<OpenedStore<TrendStore>>): void {
  describe(`${name} as a TrendStore`, () => {
    let opened: OpenedStore<TrendStore>;
    let store: TrendStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.rows('t', 'a', 'minute', 0)).toEqual([]);
      expect(await store.prune('t', { minute: DAY, hour: DAY, day: DAY })).toBe(false);
    });

    test('rolls minutes up to hours and days, across their borders in UTC', async () => {
      const last = minute('a', DAY - MINUTE, 0.5, { eligible: 0, routed: 3 });
      const first = minute('a', DAY, 1, { registered: 4, failed: 2 });
      const later = minute('a', DAY + HOUR, 0.25, { eligible: 2, registered: 2 });
      await store.add('t', [first, last]);
      await store.add('t', [later, minute('b', DAY, 0)]);
      expect(await store.rows('t', 'a', 'minute', 0)).toEqual([last, first, later].map(row));
      expect(await store.rows('t', 'a', 'hour', 0)).toEqual([
        { ...row(last), atMs: DAY - HOUR },
        row(first),
        row(later),
      ]);
      const both = { samples: 2, reachabilitySum: 1.25, reachabilityMin: 0.25, eligible: 1, registered: 4 };
      expect(await store.rows('t', 'a', 'day', 0)).toEqual([
        { ...row(last), atMs: DAY - PERIODS.day },
        { atMs: DAY, ...both, routed: 0, failed: 2 },
      ]);
    });

    test('adds to a minute that it has', async () => {
      await store.add('t', [minute('a', DAY, 1, { routed: 1 })]);
      await store.add('t', [minute('a', DAY, 0.5, { routed: 2, eligible: 0 })]);
      expect(await store.rows('t', 'a', 'minute', 0)).toEqual([
        { ...row(minute('a', DAY, 0.5)), samples: 2, reachabilitySum: 1.5, eligible: 0, routed: 3 },
      ]);
    });

    test('takes counts alone, which change nothing of what was seen, before it and after it', async () => {
      const seen = minute('a', DAY, 0.5, { eligible: 3, registered: 4 });
      const counts = minute('a', DAY, 0, { ...NOT_SEEN, routed: 2, failed: 1 });
      await store.add('t', [counts]);
      await store.add('t', [seen]);
      await store.add('t', [counts]);
      const both = { ...row(seen), routed: 4, failed: 2 };
      for (const period of ['minute', 'hour', 'day'] as const)
        expect(await store.rows('t', 'a', period, 0)).toEqual([both]);
    });

    test('keeps teams apart, and gives what begins late enough', async () => {
      await store.add('t', [minute('a', DAY, 1), minute('a', DAY + MINUTE, 0.5)]);
      await store.add('u', [minute('a', DAY, 0)]);
      expect(await store.rows('t', 'a', 'minute', DAY + 1)).toEqual([row(minute('a', DAY + MINUTE, 0.5))]);
      expect(await store.rows('u', 'a', 'minute', 0)).toEqual([row(minute('a', DAY, 0))]);
    });

    test('lets go of what is older, each period by its own time', async () => {
      const minutes = Array.from({ length: 1_200 }, (_, index) => minute('a', DAY + index * MINUTE, 1));
      await store.add('t', minutes);
      const before = { minute: DAY + 1_190 * MINUTE, hour: DAY + 18 * HOUR, day: DAY };
      while (await store.prune('t', before));
      expect(await store.rows('t', 'a', 'minute', 0)).toHaveLength(10);
      expect(await store.rows('t', 'a', 'hour', 0)).toHaveLength(2);
      expect(await store.rows('t', 'a', 'day', 0)).toMatchObject([{ samples: 1_200 }]);
    });
  });
}
