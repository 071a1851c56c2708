import type { OutboxMessage } from '../../src/outbox/message.js';
import type { Stores } from '../../src/storage/stores.js';
import { newTuning } from '../../src/tuning/tuning-version.js';
import { storedTicket } from '../handoff/stored-ticket.js';
import { label } from '../labels/labels.js';
import { minute, record, shadowOf } from '../record/records.js';
import { storedRequest } from '../requests/stored-request.js';
import { storedSession } from '../support/sessions.js';
import { weightsNamed } from '../support/weights.js';

export const TEAM = 'default';
const LIMITS = { messages: 100, chars: 100_000 };

const message = (messageId: string): OutboxMessage => ({
  messageId,
  url: 'https://one.example/hook?key=1',
  form: 'signed',
  body: '{"text":"a\\u0000b 周报"}',
  secretRef: messageId === 'm-1' ? 'env:SECRET' : undefined,
});

const instance = (instanceId: string) => ({
  agentName: 'a',
  instanceId,
  address: 'http://10.0.0.1:9595',
  healthAddress: undefined,
  weight: 100,
  region: instanceId === 'i-1' ? 'eu' : undefined,
  labels: { 'zone\u2028': '周报' },
  version: undefined,
  incarnation: undefined,
  draining: false,
});

/** Keeps some of everything that a store can keep, in every state that has a form of its own. */
export async function fillStores(stores: Stores): Promise<void> {
  const { catalogue, instances, sessions, outbox, tickets, tuning, labels, requests, records, trends } =
    stores;
  const manifest = (agentName: string, manifestVersion: number) => ({
    agentName,
    manifestVersion,
    source: 'api' as const,
    document: {
      agent_name: agentName,
      capabilities: [],
      description: `nul \0, line \u2028, lone \ud800, ${manifestVersion}`,
    },
  });
  await catalogue.save(TEAM, manifest('a', 1), null);
  await catalogue.save(TEAM, manifest('a', 3), 1);
  await catalogue.save(TEAM, manifest('removed', 1), null);
  await catalogue.remove(TEAM, 'removed', 1);
  for (const id of ['i-1', 'i-2']) await instances.save(TEAM, instance(id), null);

  const session = storedSession('会话 "\'', { intent: 'nul \0 after', userId: 'u' });
  await sessions.save(TEAM, session);
  await sessions.save(TEAM, { ...session, revision: 2, summary: 'later' });
  await sessions.save(TEAM, storedSession('s-2'));

  for (const id of ['m-1', 'm-2', 'm-3']) await outbox.add(TEAM, message(id), 10, LIMITS);
  const failed = { state: 'waiting', attempts: 1, lastError: 'refused' } as const;
  await outbox.settle(TEAM, 'm-2', 0, { ...failed, nextAtMs: 5_000 }, 20);
  await outbox.settle(
    TEAM,
    'm-3',
    0,
    { state: 'taken', attempts: 1, lastError: null, nextAtMs: undefined },
    30,
  );

  const claimed = { standing: { state: 'claimed', by: 'Li', untilMs: 9_000 } } as const;
  const resolution = { by: 'Li', at: '2026-01-02T03:04:05.678Z', rightCapability: null, note: null };
  for (const id of ['t-1', 't-2', 't-3']) await tickets.create(TEAM, storedTicket(id, { causeKey: id }), 100);
  await tickets.save(TEAM, storedTicket('t-2', { causeKey: 't-2', revision: 2, ...claimed }));
  const resolved = { state: 'resolved', atMs: 99, resolution } as never;
  await tickets.save(TEAM, storedTicket('t-3', { causeKey: 't-3', revision: 2, standing: resolved }));

  await tuning.append(TEAM, newTuning(weightsNamed('one'), 'a note', 1_000), 0);
  await tuning.append(TEAM, newTuning(weightsNamed('two'), null, 2_000), 1);
  await tuning.rollBack(TEAM, 2, 3_000);
  await tuning.setShadow(TEAM, { weights: weightsNamed('shadow'), sinceMs: 4_000 });

  await labels.add(TEAM, [label(1), label(2, { source: 'outcome' })]);
  await requests.secret(TEAM);
  await requests.create(TEAM, storedRequest());
  await requests.create(
    TEAM,
    storedRequest({ requestId: 'r-2', acceptedAtMs: storedRequest().acceptedAtMs + 1 }),
  );

  await records.salt(TEAM);
  const rows = Array.from({ length: 450 }, (_, index) => record(index));
  await records.append(TEAM, rows);
  await records.report(TEAM, record(1).routeId, {
    status: 'failed',
    latencyMs: 12.5,
    rightCapability: 'a/b',
  });
  await records.keepShadow(TEAM, record(2).routeId, shadowOf(record(2), { capabilityId: 'other' }));
  await records.keepShadow(TEAM, record(3).routeId, shadowOf(record(3)));
  await trends.add(TEAM, [minute('a', record(0).atMs, 0.1), minute('a', record(0).atMs + 60_000, 1 / 3)]);
  const vectors = [1, 2, 3].map((each) => [`text-${each}`, new Float32Array([each, 1 / each])] as const);
  await stores.vectors.putMany('model', new Map(vectors));
}
