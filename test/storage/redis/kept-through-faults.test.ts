import { expect, test } from 'vitest';
import { RedisLabelStore } from '../../../src/storage/redis/label-store.js';
import { RedisOutboxStore } from '../../../src/storage/redis/outbox-store.js';
import type { RedisLink } from '../../../src/storage/redis/redis-link.js';
import { RedisSessionStore } from '../../../src/storage/redis/session-store.js';
import { RedisTicketStore } from '../../../src/storage/redis/ticket-store.js';
import { RedisTuningStore } from '../../../src/storage/redis/tuning-store.js';
import { newTuning } from '../../../src/tuning/tuning-version.js';
import { storedTicket } from '../../handoff/stored-ticket.js';
import { label } from '../../labels/labels.js';
import { describeWithRedis, describeWithRedisServer, ownRedis, replicaLink } from '../../support/redis.js';
import { storedSession } from '../../support/sessions.js';
import { until } from '../../support/until.js';
import { weightsNamed } from '../../support/weights.js';

const LIMITS = { messages: 10, chars: 10_000 };
const message = {
  messageId: 'm',
  url: 'https://one.example/hook',
  form: 'signed',
  body: '{}',
  secretRef: undefined,
} as const;
const allLabels = { source: undefined, fromMs: 0, after: undefined, limit: 10 };

function storesOver(link: RedisLink) {
  return {
    sessions: new RedisSessionStore(link),
    tickets: new RedisTicketStore(link),
    labels: new RedisLabelStore(link),
    tuning: new RedisTuningStore(link),
    outbox: new RedisOutboxStore(link),
  };
}

/** A write and a reading of each store. */
function callsOf({ sessions, tickets, labels, tuning, outbox }: ReturnType<typeof storesOver>) {
  return [
    () => sessions.save('t', storedSession('s')),
    () => sessions.find('t', 's'),
    () => tickets.create('t', storedTicket('tk'), 10),
    () => tickets.list('t', { state: undefined, limit: 10 }),
    () => labels.add('t', [label(1)]),
    () => labels.page('t', allLabels),
    () => tuning.append('t', newTuning(weightsNamed('tuned-1'), null, 1), 0),
    () => tuning.versions('t'),
    () => outbox.add('t', message, 0, LIMITS),
    () => outbox.take('t', 0, 30_000, []),
  ];
}

describeWithRedisServer('what is kept in a Redis', () => {
  test('is there after Redis was killed, and cannot be had while it is away', async () => {
    const server = await ownRedis();
    const link = await replicaLink(server.url);
    const stores = storesOver(link);
    for (const call of callsOf(stores)) await call();

    await server.end('SIGKILL');
    await until(() => link.status().state === 'failed');
    for (const call of callsOf(stores))
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    await server.begin();
    await until(() => link.status().state === 'ok');
    const { sessions, tickets, labels, tuning, outbox } = stores;
    expect(await sessions.find('t', 's')).toEqual(storedSession('s'));
    expect(await tickets.unresolvedOf('t', storedTicket('tk').causeKey)).toEqual(storedTicket('tk'));
    expect(await labels.page('t', allLabels)).toEqual([label(1)]);
    expect(await tuning.weights('t', 1)).toEqual(weightsNamed('tuned-1'));
    expect(await outbox.nextDueAt('t', [])).toBe(30_000);
  });
});

describeWithRedis('a foreign value under our prefix', () => {
  test('of another type is refused with its key, and of another form with what it should be', async () => {
    const link = await replicaLink();
    const { sessions, tickets } = storesOver(link);
    const rows = link.key('t', 'tickets', 'rows');
    await link.ask((client) => client.set(rows, 'foreign'));
    const ofAnotherType = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(rows) };
    await expect(tickets.find('t', 'tk')).rejects.toMatchObject(ofAnotherType);
    await expect(tickets.create('t', storedTicket('tk'), 10)).rejects.toMatchObject(ofAnotherType);

    await sessions.save('t', storedSession('s'));
    await link.ask((client) => client.hset(link.key('t', 'sessions', 'documents'), 's', 'foreign'));
    const noJson = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('a session is no JSON') };
    await expect(sessions.find('t', 's')).rejects.toMatchObject(noJson);
  });

  test('is nothing of another cluster, under another prefix', async () => {
    const [one, other] = [storesOver(await replicaLink()), storesOver(await replicaLink())];
    for (const call of callsOf(one)) await call();
    expect(await other.sessions.find('t', 's')).toBeUndefined();
    expect(await other.tickets.unresolved('t')).toBe(0);
    expect(await other.labels.page('t', allLabels)).toEqual([]);
    expect(await other.tuning.versions('t')).toEqual([]);
    expect(await other.outbox.waiting('t')).toBe(0);
  });
});
