import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Cause } from '../../src/handoff/causes.js';
import type { StoredTicket } from '../../src/handoff/ticket.js';
import { ticketAt } from '../../src/handoff/ticket.js';
import { TicketDesk, type TicketNews } from '../../src/handoff/ticket-desk.js';
import { TicketRounds } from '../../src/handoff/ticket-rounds.js';
import type { TicketStore } from '../../src/handoff/ticket-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { Stores } from '../../src/storage/stores.js';
import { HandClock } from '../support/hand-clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { answer, answered, HUMAN } from './occasions.js';
import { storedTicket } from './stored-ticket.js';

const DAY_MS = 24 * 3_600_000;
const cause: Cause = { cause: 'low_confidence', key: 'low_confidence a', sentence: 'Nobody is sure.' };
const all = { state: undefined, limit: 100 };

function openDesk(store: TicketStore, clock = new HandClock()) {
  const told: { readonly news: TicketNews; readonly ticket: StoredTicket }[] = [];
  const desk = new TicketDesk({
    store,
    team: 't',
    salt: 'salt',
    clock,
    tell: async (news, ticket) => {
      told.push({ news, ticket });
    },
  });
  const reports: string[] = [];
  const rounds = new TicketRounds(desk, clock, (sentence) => reports.push(sentence));
  onTestFinished(() => rounds.close());
  return { desk, rounds, clock, told, reports };
}

async function storesIn(folder: string | null): Promise<Stores> {
  const stores = await openStores({ store: null, data: folder });
  onTestFinished(() => stores.close());
  return stores;
}

const human = (request = {}) => answered(answer({ state: 'handed_off', decision: HUMAN }), request);

describe.each(['memory', 'SQLite'] as const)('tickets in %s', (kind) => {
  const opened = async () => {
    const stores = await storesIn(kind === 'memory' ? null : await temporaryFolder());
    return openDesk(stores.tickets);
  };

  test('a hundred equal causes are one ticket, also when they come at once', async () => {
    const { desk, told } = await opened();
    const occasions = Array.from({ length: 100 }, (_, index) => human({ intent: `call ${index}` }));
    const ids = await Promise.all(occasions.map((occasion) => desk.open(cause, occasion)));
    expect(new Set(ids).size).toBe(1);
    const [ticket, ...others] = await desk.list(all);
    expect(others).toEqual([]);
    expect(ticket).toMatchObject({ count: 100, ticketId: ids[0], sentence: 'Nobody is sure.' });
    expect(ticket?.requests.map(({ intent }) => intent)).toEqual(
      Array.from({ length: 10 }, (_, index) => `call ${index + 90}`),
    );
    expect(told.map(({ news }) => news)).toEqual(['opened', ...told.slice(1).map(() => 'grown')]);
    expect(told.length).toBeLessThanOrEqual(3);
  });

  test('people are told when one has grown to 10, 100 and 1,000', async () => {
    const { desk, told } = await opened();
    for (let count = 1; count <= 101; count += 1) await desk.open(cause, human());
    expect(told.map(({ news, ticket }) => [news, ticket.count])).toEqual([
      ['opened', 1],
      ['grown', 10],
      ['grown', 100],
    ]);
  });

  test('of two who claim one at once, one has it', async () => {
    const { desk } = await opened();
    const id = (await desk.open(cause, human())) ?? '';
    const claims = await Promise.allSettled([desk.claim(id, { by: 'Li' }), desk.claim(id, { by: 'Wang' })]);
    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = claims.find((claim) => claim.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'TICKET_TAKEN' });
    const has = (await desk.find(id)).standing;
    expect(has).toMatchObject({ state: 'claimed' });
  });

  test('of two who resolve one at once, one does', async () => {
    const { desk } = await opened();
    const id = (await desk.open(cause, human())) ?? '';
    const given = await Promise.allSettled([
      desk.resolve(id, { by: 'Li' }),
      desk.resolve(id, { by: 'Wang' }),
    ]);
    const lost = given.find((each) => each.status === 'rejected');
    expect(given.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(lost?.reason).toMatchObject({ code: 'TICKET_RESOLVED' });
  });
});

describe('a claim', () => {
  test('holds against others until it is released, and can be made longer', async () => {
    const { desk, clock } = openDesk((await storesIn(null)).tickets);
    const id = (await desk.open(cause, human())) ?? '';
    await desk.claim(id, { by: 'Li', forMs: 1_000 });
    for (const act of [
      () => desk.claim(id, { by: 'Wang' }),
      () => desk.release(id, { by: 'Wang' }),
      () => desk.resolve(id, { by: 'Wang' }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'TICKET_TAKEN' });
    }
    clock.pass(900);
    const longer = await desk.claim(id, { by: 'Li', forMs: 1_000 });
    expect(ticketAt(longer, clock.now())).toMatchObject({
      state: 'claimed',
      claimedBy: 'Li',
      claimedUntil: '1970-01-01T00:00:01.900Z',
    });
    expect((await desk.release(id, { by: 'Li' })).standing).toEqual({ state: 'open' });
    expect((await desk.claim(id, { by: 'Wang' })).standing).toMatchObject({ by: 'Wang', untilMs: 900_900 });
  });

  test('that is not resolved in its time goes back to the queue, and people are told', async () => {
    const { desk, rounds, clock, told } = openDesk((await storesIn(null)).tickets);
    rounds.start();
    const id = (await desk.open(cause, human())) ?? '';
    await desk.claim(id, { by: 'Li' });
    await until(() => clock.delays.length > 0);
    clock.pass(899_999);
    await until(() => clock.delays.length > 0);
    expect((await desk.find(id)).standing.state).toBe('claimed');
    clock.pass(10_000);
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject({ news: 'returned', ticket: { standing: { state: 'open' } } });
    expect((await desk.claim(id, { by: 'Wang' })).standing).toMatchObject({ by: 'Wang' });
  });

  test('is over for everybody at its time, before the round that returns it', async () => {
    const { desk, clock } = openDesk((await storesIn(null)).tickets);
    const id = (await desk.open(cause, human())) ?? '';
    await desk.claim(id, { by: 'Li', forMs: 1_000 });
    clock.pass(1_000);
    expect(ticketAt(await desk.find(id), clock.now())).toMatchObject({ state: 'open', claimedBy: null });
    expect(await desk.list({ state: 'open', limit: 10 })).toHaveLength(1);
    expect((await desk.claim(id, { by: 'Wang' })).standing).toMatchObject({ by: 'Wang' });
  });

  test('that ended while the service was away is returned by its start', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const clock = new HandClock();
    const before = await openStores({ store: null, data: folder });
    const first = openDesk(before.tickets, clock);
    const id = (await first.desk.open(cause, human())) ?? '';
    await first.desk.claim(id, { by: 'Li' });
    await before.close();

    clock.pass(DAY_MS);
    const after = await storesIn(folder);
    const second = openDesk(after.tickets, clock);
    second.rounds.start();
    await until(() => second.told.length === 1);
    expect(second.told[0]).toMatchObject({ news: 'returned', ticket: { ticketId: id } });
    expect((await second.desk.find(id)).standing).toEqual({ state: 'open' });
    await until(() => second.rounds.unresolved === 1);
  });
});

describe('a resolved ticket', () => {
  test('stays so, and an equal cause opens another one', async () => {
    const { desk, clock, told } = openDesk((await storesIn(null)).tickets);
    const id = (await desk.open(cause, human())) ?? '';
    const resolved = await desk.resolve(id, { by: 'Li', rightCapability: 'a/b', note: 'Ask HR.' });
    expect(ticketAt(resolved, clock.now())).toMatchObject({
      state: 'resolved',
      resolution: { by: 'Li', at: '1970-01-01T00:00:00.000Z', rightCapability: 'a/b', note: 'Ask HR.' },
    });
    await expect(desk.claim(id, { by: 'Li' })).rejects.toMatchObject({ code: 'TICKET_RESOLVED' });
    await expect(desk.release(id, { by: 'Li' })).rejects.toMatchObject({ code: 'TICKET_RESOLVED' });
    const other = await desk.open(cause, human());
    expect(other).not.toBe(id);
    expect(told.map(({ news }) => news)).toEqual(['opened', 'opened']);
  });

  test('is forgotten after 30 days, and one that is not resolved is kept', async () => {
    const { desk, rounds, clock } = openDesk((await storesIn(null)).tickets);
    const id = (await desk.open(cause, human())) ?? '';
    await desk.resolve(id, { by: 'Li' });
    const open = (await desk.open(cause, human())) ?? '';
    clock.pass(30 * DAY_MS);
    rounds.start();
    await until(() => clock.delays.length > 0);
    expect((await desk.find(id)).ticketId).toBe(id);
    clock.pass(10_000);
    await until(() =>
      desk.find(id).then(
        () => false,
        ({ code }) => code === 'TICKET_UNKNOWN',
      ),
    );
    expect((await desk.find(open)).count).toBe(1);
  });
});

test('the last thousand of 10,000 places are not for low confidence', async () => {
  const { tickets } = await storesIn(null);
  for (let index = 0; index < 9_000; index += 1)
    await tickets.create('t', storedTicket(`old_${index}`), 9_000);
  const { desk } = openDesk(tickets);
  const graver: Cause = { ...cause, cause: 'agent_handoff', key: 'agent_handoff s' };
  expect(await desk.open(cause, human())).toBeUndefined();
  expect(await desk.open(graver, human())).toMatch(/^tk_/);
  expect(await desk.open({ ...cause, key: 'low_confidence old_5' }, human())).toBe('old_5');
});

test('a ticket tells of a payload the names and types alone, of a user a hash, and keeps the trace', async () => {
  const { desk } = openDesk((await storesIn(null)).tickets);
  const request = {
    intent: 'x'.repeat(2_000),
    payload: { iban: 'DE02 1203 0000', amount: 3, ['n'.repeat(300)]: null },
    userId: 'li@example.com',
    sessionId: 's1',
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const id = (await desk.open(cause, { ...human(request), traceparent })) ?? '';
  const { requests } = await desk.find(id);
  expect(requests).toEqual([
    {
      requestId: 'rq_1',
      routeId: 'rt_1',
      at: '1970-01-01T00:00:00.000Z',
      intent: 'x'.repeat(1_000),
      payloadFields: { iban: 'string', amount: 'integer', ['n'.repeat(100)]: 'null' },
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
      sessionId: 's1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    },
  ]);
});
