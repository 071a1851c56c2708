import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LabelQuery, LabelStore } from '../../src/labels/label-store.js';
import { label } from '../labels/labels.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const all: LabelQuery = { source: undefined, fromMs: 0, after: undefined, limit: 1_000 };

/** What every LabelStore does, whatever it is kept in. `open` gives one with room for so many. */
export function labelStoreContract(
  name: string,
  open: (most: number) => Promise<OpenedStore<LabelStore>>,
): void {
  describe(`${name} as a LabelStore`, () => {
    let opened: OpenedStore<LabelStore>;
    let store: LabelStore;

    beforeEach(async () => {
      opened = await open(6);
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.page('t', all)).toEqual([]);
      expect(await store.remove('t', 'lb_1')).toBe(false);
    });

    test('gives back what was added, of the same team, oldest first', async () => {
      const fields = { 'a\u0000b': 'integer', __proto__x: 'null' } as const;
      const labels = [
        label(1, { payloadFields: fields }),
        label(2, { expected: [], intent: '\u0000\ud800周报' }),
      ];
      expect(await store.add('t', labels.toReversed())).toBe(2);
      expect(await store.page('t', all)).toEqual(labels);
      expect(await store.page('u', all)).toEqual([]);
    });

    test('keeps what is said again once, with the time and the route of now', async () => {
      await store.add('t', [label(1), label(2)]);
      const again = { ...label(1), atMs: label(3).atMs, routeId: 'rt_3' };
      expect(await store.add('t', [again, label(4)])).toBe(1);
      expect(await store.page('t', all)).toEqual([label(2), again, label(4)]);
    });

    test('removes one, of the same team', async () => {
      const sameTime = [1, 2, 3].map((index) => label(index, { atMs: label(7).atMs }));
      await store.add('t', sameTime);
      expect(await store.remove('u', label(2).labelId)).toBe(false);
      expect(await store.remove('t', label(2).labelId)).toBe(true);
      expect(await store.remove('t', label(2).labelId)).toBe(false);
      const left = await store.page('t', all);
      expect(new Set(left)).toEqual(new Set([sameTime[0], sameTime[2]]));
    });

    test('gives pages by time and label_id, of one source and from a time on', async () => {
      const sameTime = [4, 2, 3].map((index) => label(index, { atMs: label(7).atMs, source: 'clarify' }));
      await store.add('t', [label(9), ...sameTime, label(1)]);
      const seen: string[] = [];
      let after: LabelQuery['after'];
      for (;;) {
        const page = await store.page('t', { ...all, after, limit: 2 });
        expect(page.length).toBeLessThanOrEqual(2);
        if (page.length === 0) break;
        seen.push(...page.map(({ labelId }) => labelId));
        after = page.at(-1);
      }
      const byId = sameTime.map(({ labelId }) => labelId).sort();
      expect(seen).toEqual([label(1).labelId, ...byId, label(9).labelId]);
      expect((await store.page('t', { ...all, source: 'clarify' })).map(({ labelId }) => labelId)).toEqual(
        byId,
      );
      expect(await store.page('t', { ...all, source: 'added', limit: 1 })).toEqual([label(1)]);
      expect(await store.page('t', { ...all, fromMs: label(8).atMs })).toEqual([label(9)]);
    });

    test('makes room by the oldest that nobody wrote, and takes nothing where people wrote all', async () => {
      const gathered = [1, 3, 5].map((index) =>
        label(index, { source: index === 1 ? 'clarify' : 'outcome' }),
      );
      const written = [2, 4, 6].map((index) => label(index, { source: index === 2 ? 'ticket' : 'import' }));
      await store.add('u', [label(1)]);
      await store.add('t', [...gathered, ...written]);
      expect(await store.add('t', [label(7), label(8)])).toBe(2);
      expect(await store.page('t', all)).toEqual([
        written[0],
        written[1],
        gathered[2],
        written[2],
        label(7),
        label(8),
      ]);
      expect(await store.add('t', [label(9), label(10)])).toBe('full');
      expect(await store.page('t', all)).toHaveLength(6);
      expect(await store.add('t', [label(9)])).toBe(1);
      expect(await store.add('t', [label(11, { source: 'clarify' })])).toBe(1);
      expect(await store.add('t', [label(10)])).toBe('full');
      expect(await store.add('t', [label(9)])).toBe(0);
      const left = await store.page('t', all);
      expect(left).toEqual([...written, label(7), label(8), label(9)]);
      expect(await store.page('u', all)).toEqual([label(1)]);
    });
  });
}
