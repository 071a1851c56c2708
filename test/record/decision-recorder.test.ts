import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { DecisionRecorder } from '../../src/record/decision-recorder.js';
import type { RecordStore } from '../../src/record/record-store.js';
import { MemoryRecordStore } from '../../src/storage/memory/record-store.js';
import type { Decision, RouteRequest } from '../../src/wire/route.js';
import { HandClock } from '../support/hand-clock.js';
import { decision } from '../support/stand-in-reach.js';
import { until } from '../support/until.js';

const outcome = { status: 'completed', latencyMs: 3, rightCapability: null } as const;
const outcomeOf = { outcome: 'human', targetAgent: null, capabilityId: null, confidence: 0.3 } as const;
const all = {
  fromMs: 0,
  untilMs: 1e9,
  agentName: undefined,
  after: undefined,
  newestFirst: false,
  limit: 100_000,
};

/** A recorder over a memory store that a test may disturb. */
function recorderOver(disturbed: Partial<RecordStore> = {}) {
  const clock = new HandClock();
  const memory = new MemoryRecordStore();
  const calls = (verb: keyof RecordStore) => memory[verb].bind(memory) as never;
  const store: RecordStore = {
    salt: calls('salt'),
    append: calls('append'),
    find: calls('find'),
    report: calls('report'),
    keepShadow: calls('keepShadow'),
    shadowTallies: calls('shadowTallies'),
    differing: calls('differing'),
    page: calls('page'),
    prune: calls('prune'),
    ...disturbed,
  };
  const said: string[] = [];
  const recorder = new DecisionRecorder({
    store,
    team: 't',
    salt: 'pepper',
    clock,
    report: (message) => said.push(message),
  });
  const decide = (
    routeId: string,
    request: RouteRequest = { intent: 'x' },
    changes: Partial<Decision> = {},
  ) => recorder.decided({ atMs: clock.now(), request, decision: { ...decision, ...changes, routeId } });
  return { recorder, store, memory, clock, said, decide };
}

describe('DecisionRecorder', () => {
  test('writes behind the answer what was decided, without what people sent', async () => {
    const { memory, clock, decide, recorder } = recorderOver();
    const payload = { secret: 'hunter2', rows: [1], count: 1.5, none: null, deep: { a: true }, on: false };
    decide('rt_a', { intent: '生成周报', payload, userId: 'anna@example.org' });
    expect(await memory.page('t', all)).toEqual([]);
    expect(recorder.status()).toMatchObject({ state: 'ok', waiting: 1, lost: 0 });
    clock.pass(200);
    await until(() => recorder.status().waiting === 0);
    const [row] = await memory.page('t', all);
    expect(row).toMatchObject({
      routeId: 'rt_a',
      intent: '生成周报',
      payloadFields: {
        secret: 'string',
        rows: 'array',
        count: 'number',
        none: 'null',
        deep: 'object',
        on: 'boolean',
      },
      user: createHmac('sha256', 'pepper').update('anna@example.org').digest('hex'),
      outcome: 'routed',
      targetAgent: 'report-agent',
      reported: null,
      shadow: null,
    });
    expect(row?.candidates[1]).toEqual({
      agentName: 'sheet-agent',
      capabilityId: '表格转换',
      confidence: 0.02,
      score: 0.01,
      excludedBy: 'a lower confidence',
    });
    expect(JSON.stringify(row)).not.toMatch(/hunter2|anna/);
  });

  test('loses the oldest, and counts them, where the store cannot keep up', async () => {
    let answer = () => {};
    const { recorder, memory, clock, decide } = recorderOver({
      append: async (team, records) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        await memory.append(team, records);
      },
    });
    decide('rt_first');
    clock.pass(200);
    for (let index = 0; index < 10_050; index++) decide(`rt_${index}`);
    expect(recorder.status()).toEqual({
      state: 'degraded',
      detail: '50 decisions were lost, 10001 wait to be written.',
      waiting: 10_001,
      lost: 50,
    });
    expect(await recorder.find('rt_49')).toBeUndefined();
    expect(await recorder.find('rt_50')).toMatchObject({ routeId: 'rt_50' });
    await until(() => {
      answer();
      return recorder.status().waiting === 0;
    });
    expect(recorder.status()).toMatchObject({ state: 'ok', lost: 50 });
    expect(await memory.find('t', 'rt_10049')).toBeDefined();
  });

  test('bounds what waits by its length, too', () => {
    const { recorder, decide } = recorderOver();
    for (let index = 0; index < 1_000; index++) decide(`rt_${index}`, { intent: '长'.repeat(20_000) });
    // With the two candidates of each.
    expect(recorder.status()).toMatchObject({ waiting: 792, lost: 208 });
  });

  test('hands over at once what is about a millisecond of work, however much a decision tells', async () => {
    const batches: number[] = [];
    const { recorder, memory, decide } = recorderOver({
      append: async (team, records) => {
        batches.push(records.length);
        await memory.append(team, records);
      },
    });
    const [candidate] = decision.candidates;
    if (candidate === undefined) throw new Error('The decision has no candidates.');
    for (let index = 0; index < 250; index++) decide(`rt_${index}`);
    await recorder.flush();
    expect(batches.splice(0)).toEqual([100, 100, 50]);
    const candidates = Array.from({ length: 64 }, () => candidate);
    for (let index = 0; index < 25; index++) decide(`rt_long_${index}`, { intent: 'x' }, { candidates });
    await recorder.flush();
    expect(batches).toEqual([11, 11, 3]);
    expect(await memory.page('t', all)).toHaveLength(275);
  });

  test('tries a store that failed again, says so once, and loses nothing', async () => {
    let works = false;
    const { recorder, memory, clock, said, decide } = recorderOver({
      append: async (team, records) => {
        if (!works) throw new ReachError('STORE_UNAVAILABLE', 'The disk is full.');
        await memory.append(team, records);
      },
    });
    decide('rt_a');
    clock.pass(200);
    await until(() => recorder.status().state === 'degraded');
    decide('rt_b');
    clock.pass(1_000);
    await recorder.flush();
    expect(recorder.status().detail).toMatch(/^The disk is full\. 0 decisions were lost, 2 wait/);
    expect(said).toEqual(['Decisions cannot be recorded: The disk is full.']);
    works = true;
    clock.pass(1_000);
    await until(() => recorder.status().state === 'ok');
    expect((await memory.page('t', all)).map(({ routeId }) => routeId)).toEqual(['rt_a', 'rt_b']);
  });

  test('keeps one outcome with a decision, whether it waits, is being written, or is written', async () => {
    let answer = () => {};
    const { recorder, memory, clock, decide } = recorderOver({
      append: async (team, records) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        await memory.append(team, records);
      },
    });
    decide('rt_waits');
    expect(await recorder.keepOutcome('rt_waits', outcome)).toBe(true);
    expect(await recorder.keepOutcome('rt_waits', outcome)).toBe(false);
    decide('rt_goes');
    clock.pass(200);
    const kept = recorder.keepOutcome('rt_goes', outcome);
    const again = recorder.keepOutcome('rt_goes', outcome);
    answer();
    expect([await kept, await again]).toEqual([true, false]);
    expect(await recorder.keepOutcome('rt_waits', outcome)).toBe(false);
    expect((await memory.page('t', all)).map(({ reported }) => reported)).toEqual([outcome, outcome]);
  });

  test('keeps one shadow with a decision, whether it waits, is written, or is lost', async () => {
    const shadow = { ...outcomeOf, weightsVersion: 'shadow' };
    const { recorder, memory, decide } = recorderOver();
    decide('rt_waits');
    expect(await recorder.keepShadow('rt_waits', shadow)).toBe(true);
    expect(await recorder.keepShadow('rt_waits', { ...shadow, confidence: 0 })).toBe(false);
    decide('rt_written');
    await recorder.flush();
    expect(await recorder.keepShadow('rt_written', shadow)).toBe(true);
    expect(await recorder.keepShadow('rt_waits', shadow)).toBe(false);
    expect(await recorder.keepShadow('rt_lost', shadow)).toBe(false);
    expect(await recorder.keepOutcome('rt_waits', outcome)).toBe(true);
    expect(await memory.page('t', all)).toMatchObject([
      { routeId: 'rt_waits', shadow, reported: outcome },
      { routeId: 'rt_written', shadow, reported: null },
    ]);
  });

  test('writes what waits when it is closed, or says what it could not', async () => {
    const well = recorderOver();
    well.decide('rt_a');
    await well.recorder.close();
    expect(await well.memory.find('t', 'rt_a')).toMatchObject({ routeId: 'rt_a' });
    expect(well.said).toEqual([]);
    const ill = recorderOver({ append: () => Promise.reject(new Error('gone')) });
    ill.decide('rt_a');
    await ill.recorder.close();
    expect(ill.said).toEqual([
      'Decisions cannot be recorded: gone',
      '1 decisions could not be recorded before the end.',
    ]);
    expect(ill.clock.delays).toEqual([]);
  });
});
