import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { Handoff } from '../../src/handoff/handoff.js';
import { TicketDesk } from '../../src/handoff/ticket-desk.js';
import type { TicketStore } from '../../src/handoff/ticket-store.js';
import type { RequestLife } from '../../src/requests/request-life.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import { HandClock } from '../support/hand-clock.js';
import { decision as routed } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { answer, failedWith, HUMAN } from './occasions.js';

const life: RequestLife = {
  requestId: 'rq_1',
  mode: 'sync',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  signal: undefined,
  acceptedAt: 0,
  earlier: undefined,
  enter() {},
  deliver: () => undefined,
  queuedAt() {},
  progress() {},
  delta() {},
  late: () => undefined,
};
const request = { intent: 'water the plants', userId: 'li' };

function handoffOver(store: TicketStore) {
  const clock = new HandClock();
  const reports: string[] = [];
  const desk = new TicketDesk({ store, team: 't', salt: 's', clock, tell: async () => {} });
  const handoff = new Handoff({ desk, clock, report: (sentence) => reports.push(sentence) });
  const answering = (given: DispatchAnswer) => handoff.around(async () => given)(request, life);
  return { handoff, desk, answering, reports, clock };
}

/** A store whose verbs can be replaced one by one. */
function methodsOf(store: TicketStore): TicketStore {
  return {
    create: (...args) => store.create(...args),
    save: (...args) => store.save(...args),
    find: (...args) => store.find(...args),
    unresolvedOf: (...args) => store.unresolvedOf(...args),
    list: (...args) => store.list(...args),
    claimsOver: (...args) => store.claimsOver(...args),
    unresolved: (...args) => store.unresolved(...args),
    prune: (...args) => store.prune(...args),
  };
}

async function inMemory() {
  return handoffOver((await openStores({ store: null, data: null })).tickets);
}

test('an answer that needs nobody is handed on as it is', async () => {
  const { answering, desk } = await inMemory();
  const given = answer();
  expect(await answering(given)).toBe(given);
  expect(await desk.unresolved()).toBe(0);
});

test('an answer that needs a person names the ticket, and the decision for a human does too', async () => {
  const { answering, desk } = await inMemory();
  const given = await answering(answer({ state: 'handed_off', decision: HUMAN }));
  expect(given.ticketId).toMatch(/^tk_[0-9a-f-]{36}$/);
  expect(given.decision?.ticketId).toBe(given.ticketId);
  expect(await desk.find(given.ticketId ?? '')).toMatchObject({
    cause: 'low_confidence',
    requests: [{ requestId: 'rq_1', traceId: '0af7651916cd43dd8448eb211c80319c' }],
    decision: HUMAN,
  });

  const failed = await answering(failedWith('AGENT_FAILED'));
  expect(failed.ticketId).toMatch(/^tk_/);
  expect(failed.ticketId).not.toBe(given.ticketId);
  expect(failed.decision).toEqual(routed);
});

test('what is thrown stays what it was, and the third equal refusal opens a ticket', async () => {
  const { handoff, desk } = await inMemory();
  const refusal = new ReachError('PAYLOAD_INVALID', 'It does not fit.', {
    errors: [{ pointer: '/to', expected: 'a string', received: 'nothing' }],
  });
  const carryOut = handoff.around(() => Promise.reject(refusal));
  for (let count = 1; count <= 3; count += 1) {
    await expect(carryOut(request, life)).rejects.toBe(refusal);
    expect(await desk.unresolved()).toBe(count === 3 ? 1 : 0);
  }
});

test('a decision for a human that nobody carries out names a ticket, any other none', async () => {
  const { handoff, desk } = await inMemory();
  expect(await handoff.decided(request, routed, undefined)).toBe(routed);
  const { ticketId } = await handoff.decided(request, HUMAN, life.traceparent);
  expect(await desk.find(ticketId ?? '')).toMatchObject({
    requests: [{ requestId: null, routeId: 'rt_1', traceId: '0af7651916cd43dd8448eb211c80319c' }],
  });
});

test('a ticket store that fails does not fail the answer, and it is told once', async () => {
  const stores = await openStores({ store: null, data: await temporaryFolder() });
  const { handoff, answering, reports } = handoffOver(stores.tickets);
  await stores.close();
  const given = answer({ state: 'handed_off', decision: HUMAN });
  for (let count = 1; count <= 3; count += 1) expect(await answering(given)).toBe(given);
  expect(await handoff.decided(request, HUMAN, undefined)).toBe(HUMAN);
  expect(handoff.fault).toContain('has been closed');
  expect(reports).toHaveLength(1);
});

test('a ticket store that does not answer is waited for no longer than a second', async () => {
  const { tickets } = await openStores({ store: null, data: null });
  const { answering, handoff, clock } = handoffOver({
    ...methodsOf(tickets),
    unresolvedOf: () => new Promise<never>(() => {}),
  });
  const given = answer({ state: 'handed_off', decision: HUMAN });
  const answered = answering(given);
  await setImmediate();
  clock.pass(1_000);
  expect(await answered).toBe(given);
  expect(handoff.fault).toMatch(/longer/);
});
