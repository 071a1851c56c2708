import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredTicket } from '../../src/handoff/ticket.js';
import type { TicketQuery, TicketStore } from '../../src/handoff/ticket-store.js';
import { storedTicket } from '../handoff/stored-ticket.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const MOST = 10;
const all: TicketQuery = { state: undefined, limit: 100 };
const resolution = { by: 'Li', at: '2026-01-02T03:04:05.678Z', rightCapability: null, note: null };

/** What every TicketStore does, whatever it is kept in. */
export function ticketStoreContract(name: string, open: () => Promise<OpenedStore<TicketStore>>): void {
  describe(`${name} as a TicketStore`, () => {
    let opened: OpenedStore<TicketStore>;
    let store: TicketStore;
    const create = (ticket: StoredTicket, team = 't', most = MOST) => store.create(team, ticket, most);
    const next = (ticket: StoredTicket, more: Partial<StoredTicket>): StoredTicket => ({
      ...ticket,
      ...more,
      revision: ticket.revision + 1,
    });

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.find('t', 'a')).toBeUndefined();
      expect(await store.unresolvedOf('t', 'x')).toBeUndefined();
      expect(await store.list('t', all)).toEqual([]);
      expect(await store.claimsOver('t', 9_999)).toEqual([]);
      expect(await store.unresolved('t')).toBe(0);
      expect(await store.prune('t', 9_999)).toBe(false);
      expect(await store.save('t', storedTicket('a'))).toBe(false);
    });

    test('gives back what was created, of the same team', async () => {
      const ticket = storedTicket('a');
      expect(await create(ticket)).toBe('created');
      expect(await store.find('t', 'a')).toEqual(ticket);
      expect(await store.unresolvedOf('t', ticket.causeKey)).toEqual(ticket);
      expect(await store.find('u', 'a')).toBeUndefined();
      expect(await store.unresolvedOf('u', ticket.causeKey)).toBeUndefined();
      expect(await create(ticket, 'u')).toBe('created');
    });

    test('has one ticket of a cause until it is resolved, also where two come at once', async () => {
      const [one, other] = [storedTicket('a', { causeKey: 'k' }), storedTicket('b', { causeKey: 'k' })];
      expect((await Promise.all([create(one), create(other)])).sort()).toEqual(['created', 'taken']);
      const known = (await store.unresolvedOf('t', 'k')) as StoredTicket;
      await store.save('t', next(known, { standing: { state: 'resolved', atMs: 5, resolution } }));
      expect(await store.unresolvedOf('t', 'k')).toBeUndefined();
      expect(await create(storedTicket('c', { causeKey: 'k' }))).toBe('created');
    });

    test('saves the first of two who change the same revision', async () => {
      const ticket = storedTicket('a');
      await create(ticket);
      const saved = await Promise.all([
        store.save('t', next(ticket, { count: 2 })),
        store.save('t', next(ticket, { count: 3 })),
      ]);
      expect(saved).toEqual([true, false]);
      expect(await store.find('t', 'a')).toMatchObject({ count: 2, revision: 2 });
    });

    test('lets only so many be unresolved', async () => {
      expect(await create(storedTicket('a'), 't', 1)).toBe('created');
      expect(await create(storedTicket('b'), 't', 1)).toBe('full');
      const resolved = next(storedTicket('a'), { standing: { state: 'resolved', atMs: 5, resolution } });
      await store.save('t', resolved);
      expect(await store.unresolved('t')).toBe(0);
      expect(await create(storedTicket('b'), 't', 1)).toBe('created');
    });

    test('lists those whose cause came last first, of one state where it is asked for', async () => {
      const claimed = { state: 'claimed', by: 'Li', untilMs: 9_000 } as const;
      await create(storedTicket('old', { lastAtMs: 1 }));
      await create(storedTicket('new', { lastAtMs: 3, standing: claimed }));
      await create(storedTicket('mid', { lastAtMs: 2 }));
      const ids = async (query: Partial<TicketQuery>) =>
        (await store.list('t', { ...all, ...query })).map(({ ticketId }) => ticketId);
      expect(await ids({})).toEqual(['new', 'mid', 'old']);
      expect(await ids({ state: 'open' })).toEqual(['mid', 'old']);
      expect(await ids({ state: 'claimed' })).toEqual(['new']);
      expect(await ids({ limit: 1 })).toEqual(['new']);
    });

    test('tells which claims are over', async () => {
      const until = (untilMs: number) => ({ standing: { state: 'claimed', by: 'Li', untilMs } }) as const;
      await create(storedTicket('over', until(100)));
      await create(storedTicket('holds', until(101)));
      await create(storedTicket('open'));
      expect((await store.claimsOver('t', 100)).map(({ ticketId }) => ticketId)).toEqual(['over']);
      expect(await store.claimsOver('u', 100)).toEqual([]);
    });

    test('lets go of what was resolved before, and of nothing else', async () => {
      for (const [id, atMs] of [
        ['old', 10],
        ['new', 20],
      ] as const) {
        await create(storedTicket(id));
        await store.save('t', next(storedTicket(id), { standing: { state: 'resolved', atMs, resolution } }));
      }
      await create(storedTicket('open'));
      expect(await store.prune('t', 20)).toBe(false);
      expect((await store.list('t', all)).map(({ ticketId }) => ticketId).sort()).toEqual(['new', 'open']);
    });
  });
}
