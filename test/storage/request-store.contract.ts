import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RequestStore, StoredRequest } from '../../src/requests/request-store.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import { storedRequest } from '../requests/stored-request.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const START = storedRequest().acceptedAtMs;
const numbered = (index: number, more: Partial<StoredRequest> = {}) =>
  storedRequest({ requestId: `r-${index}`, acceptedAtMs: START + index, ...more });
const answer: DispatchAnswer = {
  requestId: 'r-1',
  state: 'completed',
  result: { text: 'nul \u0000 after' },
  degraded: false,
  decision: null,
  attempts: [],
  waitedMs: 0,
  elapsedMs: 1.5,
};
const ended = (request: StoredRequest): StoredRequest => ({
  ...request,
  state: 'completed',
  answer,
  revision: request.revision + 1,
});

/** What every RequestStore does, whatever it is kept in. */
export function requestStoreContract(name: string, open: () => Promise<OpenedStore<RequestStore>>): void {
  describe(`${name} as a RequestStore`, () => {
    let opened: OpenedStore<RequestStore>;
    let store: RequestStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const createAll = async (requests: readonly StoredRequest[]) => {
      for (const request of requests) await store.create('t', request);
    };

    test('has one secret a team, which stays', async () => {
      const secret = await store.secret('t');
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(await store.secret('t')).toBe(secret);
      expect(await store.secret('u')).not.toBe(secret);
    });

    test('gives back what was created, of the same team', async () => {
      const request = storedRequest();
      expect(await store.create('t', request)).toBeUndefined();
      expect(await store.find('t', 'r-1')).toEqual(request);
      expect(await store.find('u', 'r-1')).toBeUndefined();
      expect(await store.find('t', 'r-2')).toBeUndefined();
    });

    test('creates one of several that come at once; the others get it', async () => {
      const attempts = Array.from({ length: 20 }, (_, index) => storedRequest({ bodyHash: String(index) }));
      const existing = await Promise.all(attempts.map((request) => store.create('t', request)));
      const kept = await store.find('t', 'r-1');
      expect(existing.filter((each) => each === undefined)).toHaveLength(1);
      for (const each of existing) expect(each ?? kept).toEqual(kept);
      expect(existing[Number(kept?.bodyHash)]).toBeUndefined();
    });

    test('saves the next revision, and no other', async () => {
      const request = storedRequest();
      expect(await store.save('t', request)).toBe(false);
      await store.create('t', request);
      const { deadlineAtMs, ...next } = ended(request);
      expect(await store.save('t', { ...next, deadlineAtMs: deadlineAtMs + 1, revision: 3 })).toBe(false);
      expect(await store.save('u', { ...next, deadlineAtMs })).toBe(false);
      const both = [1, 2].map((later) => store.save('t', { ...next, deadlineAtMs: deadlineAtMs + later }));
      expect((await Promise.all(both)).toSorted()).toEqual([false, true]);
      expect(await store.find('t', 'r-1')).toMatchObject({ answer, revision: 2 });
    });

    test('forgets one that was not let in', async () => {
      await createAll([numbered(1), numbered(2)]);
      await store.remove('t', 'r-1');
      await store.remove('u', 'r-2');
      expect(await store.find('t', 'r-1')).toBeUndefined();
      expect(await store.find('t', 'r-2')).toEqual(numbered(2));
      expect(await store.create('t', numbered(1))).toBeUndefined();
    });

    test('lists the newest first, all or those in a state', async () => {
      await createAll([numbered(2), numbered(1), numbered(3, { acceptedAtMs: START + 2 })]);
      await store.save('t', ended(numbered(2)));
      const ids = async (query: Parameters<RequestStore['list']>[1]) =>
        (await store.list('t', query)).map(({ requestId }) => requestId);
      expect(await ids({ limit: 10 })).toEqual(['r-3', 'r-2', 'r-1']);
      expect(await ids({ limit: 2 })).toEqual(['r-3', 'r-2']);
      expect(await ids({ state: 'queued', limit: 10 })).toEqual(['r-3', 'r-1']);
      expect(await store.list('u', { limit: 10 })).toEqual([]);
      const { requestId, state, lane, mode, acceptedAtMs, deadlineAtMs } = numbered(1);
      expect((await store.list('t', { limit: 10 }))[2]).toEqual({
        requestId,
        state,
        lane,
        mode,
        acceptedAtMs,
        deadlineAtMs,
      });
    });

    test('tells what has not ended, or whose callback is due, oldest first', async () => {
      await createAll([numbered(1), numbered(2), numbered(3, { lane: 'P0' }), numbered(4)]);
      await store.save('t', ended(numbered(2)));
      await store.save('t', { ...ended(numbered(4)), callbackDue: true });
      expect(await store.unfinished('t')).toEqual([
        { requestId: 'r-1', lane: 'P1', owner: undefined },
        { requestId: 'r-3', lane: 'P0', owner: undefined },
        { requestId: 'r-4', lane: 'P1', owner: undefined },
      ]);
      await store.save('t', { ...ended(ended(numbered(4))), callbackDue: false });
      expect(await store.unfinished('t')).toHaveLength(2);
    });

    test('tells who carries out what has not ended', async () => {
      await createAll([numbered(1, { owner: 'a' }), numbered(2)]);
      await store.save('t', numbered(2, { owner: 'b', revision: 2 }));
      expect(await store.unfinished('t')).toEqual([
        { requestId: 'r-1', lane: 'P1', owner: 'a' },
        { requestId: 'r-2', lane: 'P1', owner: 'b' },
      ]);
      expect(await store.find('t', 'r-2')).toMatchObject({ owner: 'b' });
      await store.save('t', numbered(2, { owner: undefined, revision: 3 }));
      expect((await store.unfinished('t'))[1]?.owner).toBeUndefined();
    });

    test('tells what should have ended', async () => {
      const due = (index: number) => numbered(index, { deadlineAtMs: START + index });
      await createAll([due(1), due(2), due(3)]);
      await store.save('t', ended(due(1)));
      expect(await store.overdue('t', START + 3)).toEqual(['r-2']);
      expect(await store.overdue('u', START + 3)).toEqual([]);
    });

    test('lets go of ended ones that are old, slice by slice, and of nothing else', async () => {
      const requests = Array.from({ length: 600 }, (_, index) => numbered(index));
      await Promise.all(requests.map((request) => store.create('t', request)));
      await Promise.all(requests.slice(1).map((request) => store.save('t', ended(request))));
      await store.create('u', { ...numbered(1), state: 'failed' });
      while (await store.prune('t', START + 598));
      const kept = await store.list('t', { limit: 1_000 });
      expect(kept.map(({ requestId }) => requestId)).toEqual(['r-599', 'r-598', 'r-0']);
      expect(await store.find('u', 'r-1')).toBeDefined();
    });

    test('is not changed by what happens to a request later', async () => {
      const payload = { a: 1 };
      await store.create('t', storedRequest({ request: { payload } }));
      payload.a = 2;
      const found = await store.find('t', 'r-1');
      expect(found?.request.payload).toEqual({ a: 1 });
      Object.assign(found?.request.payload ?? {}, { a: 3 });
      expect((await store.find('t', 'r-1'))?.request.payload).toEqual({ a: 1 });
    });
  });
}
