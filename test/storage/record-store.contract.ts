import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RecordQuery, RecordStore } from '../../src/record/record-store.js';
import { record, shadowOf } from '../record/records.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const START = record(0).atMs;
const all: RecordQuery = {
  fromMs: START,
  untilMs: START + 1_000_000,
  agentName: undefined,
  after: undefined,
  newestFirst: false,
  limit: 100,
};
const failed = { status: 'failed', latencyMs: 12.5, rightCapability: 'a/b' } as const;

/** What every RecordStore does, whatever it is kept in. */
export function recordStoreContract(name: string, open: () => Promise<OpenedStore<RecordStore>>): void {
  describe(`${name} as a RecordStore`, () => {
    let opened: OpenedStore<RecordStore>;
    let store: RecordStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.find('t', 'rt_1')).toBeUndefined();
      expect(await store.page('t', all)).toEqual([]);
      expect(await store.prune('t', START)).toBe(false);
      expect(await store.report('t', 'rt_1', failed)).toBe(false);
    });

    test('has one secret a team, which stays', async () => {
      const salt = await store.salt('t');
      expect(salt).toMatch(/^[0-9a-f]{64}$/);
      expect(await store.salt('t')).toBe(salt);
      expect(await store.salt('u')).not.toBe(salt);
    });

    test('gives back what was appended, of the same team', async () => {
      const rows = [record(1), record(2, { targetAgent: null, intent: null, reported: failed })];
      await store.append('t', rows);
      expect(await store.page('t', all)).toEqual(rows);
      expect(await store.find('t', record(2).routeId)).toEqual(rows[1]);
      expect(await store.page('u', all)).toEqual([]);
      expect(await store.find('u', record(2).routeId)).toBeUndefined();
    });

    test('takes a batch again that it has already', async () => {
      await store.append('t', [record(1)]);
      await store.append('t', [record(1), record(2)]);
      expect(await store.page('t', all)).toEqual([record(1), record(2)]);
    });

    test('keeps the first report of a decision, and no second one', async () => {
      await store.append('t', [record(1), record(2)]);
      expect(await store.report('t', record(1).routeId, failed)).toBe(true);
      expect(await store.report('t', record(1).routeId, { ...failed, status: 'completed' })).toBe(false);
      expect(await store.report('u', record(2).routeId, failed)).toBe(false);
      expect(await store.page('t', all)).toEqual([record(1, { reported: failed }), record(2)]);
    });

    test.each([
      ['oldest', false, [1, 3, 4, 5, 9]],
      ['newest', true, [9, 5, 4, 3, 1]],
    ] as const)(
      'gives pages by time and route_id, the %s first, whatever the order they came in',
      async (...[, newestFirst, order]) => {
        const sameTime = [5, 3, 4].map((index) => record(index, { atMs: START + 7 }));
        await store.append('t', [record(9), ...sameTime, record(1)]);
        const seen: string[] = [];
        let after: RecordQuery['after'];
        for (;;) {
          const page = await store.page('t', { ...all, newestFirst, after, limit: 2 });
          expect(page.length).toBeLessThanOrEqual(2);
          if (page.length === 0) break;
          seen.push(...page.map(({ routeId }) => routeId));
          after = page.at(-1);
        }
        expect(seen).toEqual(order.map((index) => record(index).routeId));
      },
    );

    test('gives those of a time and of an agent', async () => {
      const rows = Array.from({ length: 20 }, (_, index) =>
        record(index, { targetAgent: index % 5 === 0 ? 'rare-agent' : 'other-agent' }),
      );
      await store.append('t', rows);
      const some = { ...all, fromMs: START + 5, untilMs: START + 15 };
      expect(await store.page('t', some)).toEqual(rows.slice(5, 15));
      expect(await store.page('t', { ...some, agentName: 'rare-agent' })).toEqual([rows[5], rows[10]]);
      expect(await store.page('t', { ...some, agentName: 'rare-agent', after: rows[5] })).toEqual([rows[10]]);
      expect(await store.page('t', { ...some, agentName: 'no-agent' })).toEqual([]);
      const newest = { ...some, newestFirst: true };
      expect(await store.page('t', newest)).toEqual(rows.slice(5, 15).reverse());
      expect(await store.page('t', { ...newest, agentName: 'rare-agent' })).toEqual([rows[10], rows[5]]);
      expect(await store.page('t', { ...newest, after: rows[7] })).toEqual([rows[6], rows[5]]);
    });

    test('keeps one shadow with a decision, with it or behind it', async () => {
      const [one, two, three] = [record(1), record(2), record(3)];
      await store.append('t', [{ ...one, shadow: shadowOf(one) }, two, three]);
      const other = shadowOf(two, { outcome: 'human', targetAgent: null, capabilityId: null });
      expect(await store.keepShadow('t', two.routeId, other)).toBe(true);
      expect(await store.keepShadow('t', two.routeId, shadowOf(two))).toBe(false);
      expect(await store.keepShadow('t', one.routeId, other)).toBe(false);
      expect(await store.keepShadow('u', three.routeId, other)).toBe(false);
      expect(await store.keepShadow('t', 'rt_unknown', other)).toBe(false);
      await store.report('t', two.routeId, failed);
      const kept = [{ ...one, shadow: shadowOf(one) }, { ...two, reported: failed, shadow: other }, three];
      expect(await store.page('t', all)).toEqual(kept);
      expect(await store.page('t', { ...all, agentName: 'report-agent' })).toEqual(kept);
      expect(await store.find('t', two.routeId)).toEqual(kept[1]);
    });

    test('counts shadows by the hour and by the weights of both sides', async () => {
      const hour = 3_600_000;
      const first = Math.ceil(START / hour) * hour;
      const at = (index: number, hours: number, weightsVersion = 'a') =>
        record(index, { atMs: first + hours * hour + index, weightsVersion });
      const rows = [at(1, 0), at(2, 0), at(3, 0, 'b'), at(4, 1), at(5, 1)];
      await store.append('t', rows);
      for (const row of rows.slice(0, 4)) {
        const isOther = row === rows[1];
        await store.keepShadow('t', row.routeId, shadowOf(row, isOther ? { capabilityId: 'other' } : {}));
      }
      const [, , , , last = at(5, 1)] = rows;
      await store.keepShadow('t', last.routeId, shadowOf(last, { weightsVersion: 'newer', confidence: 0 }));
      const of = { shadowVersion: 'shadow', compared: 1, differing: 0 };
      const second = [
        { ...of, hourMs: first + hour, weightsVersion: 'a', shadowVersion: 'newer' },
        { ...of, hourMs: first + hour, weightsVersion: 'a' },
      ];
      const tallies = async (team: string, fromMs: number) =>
        new Set(await store.shadowTallies(team, fromMs));
      expect(await tallies('t', first)).toEqual(
        new Set([
          { ...of, hourMs: first, weightsVersion: 'a', compared: 2, differing: 1 },
          { ...of, hourMs: first, weightsVersion: 'b' },
          ...second,
        ]),
      );
      expect(await tallies('t', first + 1)).toEqual(new Set(second));
      expect(await tallies('u', 0)).toEqual(new Set());
      while (await store.prune('t', first + hour + 1));
      expect(await tallies('t', 0)).toEqual(new Set(second));
    });

    test('gives those that differ from their shadow, the newest first', async () => {
      const rows = Array.from({ length: 10 }, (_, index) =>
        record(index, { atMs: START + Math.floor(index / 2) }),
      );
      const shadowed = rows.map((row, index) => ({
        ...row,
        shadow: index === 9 ? null : shadowOf(row, index % 3 === 0 ? {} : { targetAgent: 'other-agent' }),
      }));
      await store.append('t', shadowed);
      const query = { fromMs: START + 1, before: undefined, limit: 3 };
      const [eighth, seventh, fifth, fourth, second] = [8, 7, 5, 4, 2].map((index) => shadowed[index]);
      expect(await store.differing('t', query)).toEqual([eighth, seventh, fifth]);
      expect(await store.differing('t', { ...query, before: fifth })).toEqual([fourth, second]);
      expect(await store.differing('u', query)).toEqual([]);
      await store.prune('t', START + 4);
      expect(await store.differing('t', query)).toEqual([eighth]);
    });

    test('lets go of what is older, slice by slice, and of nothing else', async () => {
      const rows = Array.from({ length: 1_500 }, (_, index) => record(index));
      await store.append('t', rows);
      await store.append('u', [record(1)]);
      let slices = 1;
      while (await store.prune('t', START + 1_400)) slices += 1;
      expect(slices).toBeLessThan(10);
      expect(await store.page('t', all)).toEqual(rows.slice(1_400));
      expect(await store.find('t', record(1).routeId)).toBeUndefined();
      expect(await store.page('u', all)).toEqual([record(1)]);
    });
  });
}
