import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { LabelGatherer } from '../../src/labels/label-gatherer.js';
import type { LabelStore } from '../../src/labels/label-store.js';
import type { StoredLabel } from '../../src/labels/stored-label.js';
import type { DecisionRecord } from '../../src/record/decision-record.js';
import type { DecisionMade } from '../../src/routing/decision-observer.js';
import type { OpenQuestion } from '../../src/routing/open-questions.js';
import { MemoryLabelStore } from '../../src/storage/memory/label-store.js';
import type { Ticket } from '../../src/wire/tickets.js';
import { record } from '../record/records.js';
import { HandClock } from '../support/hand-clock.js';
import { decision } from '../support/stand-in-reach.js';
import { ticket } from '../support/stand-in-tickets.js';

const REPORT = 'report-agent/weekly-summary';

/** A gatherer over a memory store that a test may disturb. */
function gathererOver(disturbed: Partial<LabelStore> = {}, recorded: readonly DecisionRecord[] = []) {
  const clock = new HandClock();
  const memory = new MemoryLabelStore();
  const store: LabelStore = {
    add: (team, labels) => memory.add(team, labels),
    remove: (team, labelId) => memory.remove(team, labelId),
    page: (team, query) => memory.page(team, query),
    ...disturbed,
  };
  const told: string[] = [];
  const gatherer = new LabelGatherer({
    store,
    team: 't',
    recorded: async (routeId) => recorded.find((each) => each.routeId === routeId),
    clock,
    report: (sentence) => told.push(sentence),
  });
  const kept = async () => {
    await gatherer.flush();
    return memory.page('t', { source: undefined, fromMs: 0, after: undefined, limit: 10_000 });
  };
  return { gatherer, clock, memory, told, kept };
}

function answer(question: Partial<OpenQuestion> = {}, made: Partial<DecisionMade> = {}): DecisionMade {
  const asked = {
    routeId: 'rt_asked',
    request: {
      intent: '生成周报',
      payload: { iban: 'DE02 1203 0000', rows: [1], n: 2 },
      userId: 'li@example.com',
    },
    target: undefined,
    choices: [REPORT, 'sheet-agent/x'],
    resumed: false,
    ...question,
  };
  const request = { ...asked.request, userId: 'li@example.com' };
  return { atMs: 7, request, decision, answered: { question: asked, capability: REPORT }, ...made };
}

const resolved = (changes: Partial<Ticket> = {}): Ticket => ({
  ...ticket,
  state: 'resolved',
  resolution: { by: 'Li', at: '2026-01-02T04:00:00.000Z', rightCapability: REPORT, note: 'for Anna' },
  ...changes,
});

const withoutId = ({ labelId: _, ...label }: StoredLabel) => label;

describe('what is gathered', () => {
  test('the choice that answers a clarify is right for the intent that was asked, without a value and a user', async () => {
    const { gatherer, kept } = gathererOver();
    gatherer.decided(answer());
    const labels = await kept();
    expect(labels.map(withoutId)).toEqual([
      {
        source: 'clarify',
        atMs: 7,
        intent: '生成周报',
        lang: 'zh',
        payloadFields: { iban: 'string', rows: 'array', n: 'integer' },
        expected: [REPORT],
        routeId: 'rt_asked',
      },
    ]);
    expect(JSON.stringify(labels)).not.toMatch(/li@|DE02/);
  });

  test('a fuller payload says that the target is right, once nothing is missing any more', async () => {
    const target = { agentName: 'report-agent', capabilityId: 'weekly-summary' };
    const { gatherer, kept } = gathererOver();
    gatherer.decided(answer({ target }, { decision: { ...decision, outcome: 'clarify' } }));
    expect(await kept()).toEqual([]);
    gatherer.decided(answer({ target, request: { intent: 'weekly report', payload: {} } }));
    expect(await kept()).toMatchObject([
      { intent: 'weekly report', lang: 'en', payloadFields: {}, expected: [REPORT] },
    ]);
  });

  test.each<[string, DecisionMade]>([
    ['a decision that answers nothing', { atMs: 7, request: { intent: 'x' }, decision }],
    ['an answer in a conversation that the intent leaned on', answer({ resumed: true })],
    [
      'an answer within a part of the catalogue',
      answer({ request: { intent: 'x', filter: { agents: ['a'] } } }),
    ],
    ['an answer where the capability was named', answer({ request: { intent: 'x', capabilityId: REPORT } })],
    [
      'a payload of endless names',
      answer({ request: { intent: 'x', payload: { ['n'.repeat(40_000)]: 1 } } }),
    ],
    ['an answer without an intent', answer({ request: {} })],
  ])('nothing is said by %s', async (_, made) => {
    const { gatherer, kept } = gathererOver();
    gatherer.decided(made);
    expect(await kept()).toEqual([]);
  });

  test('a reported right capability, of the decision as it was recorded', async () => {
    const { gatherer, kept, clock } = gathererOver();
    clock.pass(50);
    gatherer.reported(
      record(1, { intent: 'Refund RF-1', payloadFields: { id: 'string' }, user: 'hash' }),
      REPORT,
    );
    clock.pass(1);
    gatherer.reported(record(2, { intent: 'No payload', payloadFields: {} }), REPORT);
    gatherer.reported(record(3, { intent: null }), REPORT);
    const labels = await kept();
    expect(labels).toMatchObject([
      {
        source: 'outcome',
        atMs: 50,
        intent: 'Refund RF-1',
        payloadFields: { id: 'string' },
        expected: [REPORT],
      },
      { source: 'outcome', atMs: 51, intent: 'No payload', payloadFields: null, routeId: record(2).routeId },
    ]);
    expect(JSON.stringify(labels)).not.toContain('hash');
  });

  test('a resolved ticket, with the whole intent where its decision is still recorded', async () => {
    const cut = ticket.requests.map((request) => ({
      ...request,
      routeId: record(1).routeId,
      intent: 'x'.repeat(1_000),
      user: 'hash',
    }));
    const whole = record(1, { intent: 'x'.repeat(20_000), payloadFields: { rows: 'array' } });
    const { gatherer, kept } = gathererOver({}, [whole]);
    gatherer.resolved(resolved({ requests: cut }));
    gatherer.resolved(resolved({ requests: cut.map((request) => ({ ...request, routeId: 'rt_gone' })) }));
    gatherer.resolved(
      resolved({ resolution: { by: 'Li', at: ticket.lastAt, rightCapability: null, note: null } }),
    );
    gatherer.resolved(resolved({ requests: [] }));
    const labels = await kept();
    expect(labels.map(({ intent, payloadFields }) => [intent.length, payloadFields])).toEqual(
      expect.arrayContaining([
        [20_000, { rows: 'array' }],
        [1_000, { week_no: 'integer' }],
      ]),
    );
    expect(labels).toHaveLength(2);
    expect(labels[0]).toMatchObject({ source: 'ticket', atMs: Date.parse('2026-01-02T04:00:00.000Z') });
    expect(JSON.stringify(labels)).not.toMatch(/hash|Li|Anna/);
  });

  test('the same said twice is one label, with the route of the last time', async () => {
    const { gatherer, kept } = gathererOver();
    gatherer.decided(answer({ routeId: 'rt_1' }));
    gatherer.decided(answer({ routeId: 'rt_2' }, { atMs: 9 }));
    expect(await kept()).toMatchObject([{ atMs: 9, routeId: 'rt_2' }]);
  });
});

describe('nobody waits for the store, or fails with it', () => {
  test('labels wait a second for others, and are written together', async () => {
    const batches: number[] = [];
    const { gatherer, clock } = gathererOver({
      async add(_, labels) {
        batches.push(labels.length);
        return labels.length;
      },
    });
    for (const intent of ['a', 'b', 'c']) gatherer.decided(answer({ request: { intent } }));
    clock.pass(999);
    expect(batches).toEqual([]);
    clock.pass(1);
    await gatherer.flush();
    expect(batches).toEqual([3]);
  });

  test('what a store refuses is tried again, the newest 1,000; it is told once, and again once it went well', async () => {
    let isBroken = true;
    const { gatherer, clock, told, kept, memory } = gathererOver({
      async add(team, labels) {
        if (isBroken) throw new ReachError('STORE_UNAVAILABLE', 'The disk is full.');
        return memory.add(team, labels);
      },
    });
    for (let index = 0; index < 1_200; index += 1) {
      gatherer.decided(answer({ request: { intent: `intent ${index}` } }, { atMs: index }));
    }
    await gatherer.flush();
    clock.pass(5_000);
    await gatherer.flush();
    expect(told).toEqual(['Labels cannot be kept: The disk is full.']);
    isBroken = false;
    clock.pass(5_000);
    const labels = await kept();
    expect([labels.length, labels[0]?.intent]).toEqual([1_000, 'intent 200']);
    expect(told.slice(1)).toEqual(['200 labels are lost: more came than could wait for the store.']);
    isBroken = true;
    gatherer.decided(answer());
    await gatherer.flush();
    expect(told).toHaveLength(3);
    await gatherer.close();
    expect(told.at(-1)).toBe('1 labels could not be kept before the end.');
    expect(clock.delays).toEqual([]);
  });

  test('where people have written as many as there is room for, it is told once, and nothing waits', async () => {
    const { gatherer, told, clock } = gathererOver({ add: async () => 'full' });
    gatherer.resolved(resolved());
    await gatherer.flush();
    gatherer.resolved(resolved());
    await gatherer.close();
    expect(told).toEqual(['Labels cannot be kept: people have written as many as there is room for.']);
    expect(clock.delays).toEqual([]);
  });

  test('a ticket whose decision cannot be looked up is a label of what it tells itself', async () => {
    const memory = new MemoryLabelStore();
    const gatherer = new LabelGatherer({
      store: memory,
      team: 't',
      recorded: async () => Promise.reject(new ReachError('STORE_UNAVAILABLE', 'Gone.')),
      clock: new HandClock(),
      report: () => {},
    });
    gatherer.resolved(resolved());
    await gatherer.flush();
    expect(await memory.page('t', { source: 'ticket', fromMs: 0, after: undefined, limit: 9 })).toMatchObject(
      [{ intent: '周报', expected: [REPORT] }],
    );
  });
});
