import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/sessions/session-store.js';
import { storedSession } from '../support/sessions.js';

/** What every SessionStore does, whatever it is kept in. `open`: one that keeps `most` sessions of a team. */
export function sessionStoreContract(
  name: string,
  open: (most: number) => Promise<{ readonly store: SessionStore; close(): Promise<void> }>,
): void {
  describe(`${name} as a SessionStore`, () => {
    let store: SessionStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ store, close } = await open(5));
    });
    afterEach(() => close());

    const ids = async (team = 'default', nowMs = 0, limit = 100) =>
      (await store.list(team, { nowMs, limit })).map(({ sessionId }) => sessionId);

    test('knows nothing of what was never saved', async () => {
      expect(await store.find('default', 'a')).toBeUndefined();
      expect(await store.remove('default', 'a')).toBe(false);
      expect(await ids()).toEqual([]);
    });

    test('gives back all that was saved, any text as it is', async () => {
      const full = storedSession('会话 "\'; --', {
        kind: 'task',
        userId: 'u',
        intent: 'nul \u0000 after, lone \ud800 surrogate 🧾',
        entities: JSON.parse('{"__proto__": "a", "order_id": [1, {"b": null}]}'),
        rounds: [{ at: 'now', intent: null, agentName: 'a', capabilityId: 'b', reply: '好' }],
        confirmations: [{ routeId: 'r', choices: [{ agentName: 'a', capabilityId: 'b', name: 'B' }] }],
        summary: 's',
        payloadRef: 'p',
        affinity: { agentName: 'a', version: null },
      });
      expect(await store.save('default', full)).toBe(true);
      expect(await store.find('default', full.sessionId)).toStrictEqual(full);
    });

    test('saves a session only over the revision before its own', async () => {
      expect(await store.save('default', storedSession('a', { revision: 2 }))).toBe(false);
      expect(await store.save('default', storedSession('a', { summary: 'first' }))).toBe(true);
      expect(await store.save('default', storedSession('a', { summary: 'again' }))).toBe(false);
      expect(await store.save('default', storedSession('a', { revision: 3 }))).toBe(false);
      expect(await store.find('default', 'a')).toMatchObject({ revision: 1, summary: 'first' });
      expect(await store.save('default', storedSession('a', { revision: 2 }))).toBe(true);
      expect(await store.find('default', 'a')).toMatchObject({ revision: 2, summary: null });
    });

    test('lets exactly one of several writers win at a revision', async () => {
      await store.save('default', storedSession('a'));
      const saves = ['x', 'y', 'z'].map((summary) =>
        store.save('default', storedSession('a', { revision: 2, summary })),
      );
      expect((await Promise.all(saves)).filter((saved) => saved)).toHaveLength(1);
    });

    test('lists those that are not over, the one that changed last first', async () => {
      await store.save('default', storedSession('a', { updatedAtMs: 1, expiresAtMs: 50 }));
      await store.save('default', storedSession('b', { updatedAtMs: 2, expiresAtMs: 20 }));
      await store.save('default', storedSession('c', { updatedAtMs: 3, expiresAtMs: 60, intent: 'why' }));
      await store.save('default', storedSession('a', { updatedAtMs: 4, expiresAtMs: 70, revision: 2 }));
      expect(await ids()).toEqual(['a', 'c', 'b']);
      expect(await ids('default', 20)).toEqual(['a', 'c']);
      expect(await ids('default', 0, 1)).toEqual(['a']);
      const [, second] = await store.list('default', { nowMs: 0, limit: 2 });
      expect(second).toStrictEqual({
        sessionId: 'c',
        kind: 'chat',
        userId: null,
        intent: 'why',
        revision: 1,
        updatedAtMs: 3,
        expiresAtMs: 60,
      });
    });

    test('lets go of those that changed the longest ago where there are too many', async () => {
      for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries())
        await store.save('default', storedSession(id, { updatedAtMs: at }));
      await store.save('default', storedSession('a', { revision: 2, updatedAtMs: 10 }));
      await store.save('default', storedSession('f', { updatedAtMs: 11 }));
      expect(await ids()).toEqual(['f', 'a', 'e', 'd', 'c']);
      await store.remove('default', 'c');
      await store.save('default', storedSession('g', { updatedAtMs: 12 }));
      expect(await ids()).toEqual(['g', 'f', 'a', 'e', 'd']);
    });

    test('prunes those that are over', async () => {
      await store.save('default', storedSession('a', { expiresAtMs: 10 }));
      await store.save('default', storedSession('b', { expiresAtMs: 11 }));
      expect(await store.prune('default', 10)).toBe(false);
      expect(await store.find('default', 'a')).toBeUndefined();
      expect(await store.find('default', 'b')).toBeDefined();
    });

    test('keeps teams apart', async () => {
      await store.save('default', storedSession('a'));
      await store.save('other', storedSession('a', { summary: 'theirs' }));
      await store.remove('default', 'a');
      expect(await ids()).toEqual([]);
      expect(await store.find('other', 'a')).toMatchObject({ summary: 'theirs' });
    });

    test('is not changed by what happens to a session later', async () => {
      const entities = { order: { id: 1 } };
      await store.save('default', storedSession('a', { entities }));
      entities.order.id = 2;
      const found = await store.find('default', 'a');
      expect(found?.entities).toEqual({ order: { id: 1 } });
      Object.assign(found?.entities ?? {}, { order: 3 });
      expect((await store.find('default', 'a'))?.entities).toEqual({ order: { id: 1 } });
    });
  });
}
