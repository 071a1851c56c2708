import { expect, test, vi } from 'vitest';
import type { SaidLabel } from '../../src/labels/label.js';
import { LabelBook } from '../../src/labels/label-book.js';
import { LabelGatherer } from '../../src/labels/label-gatherer.js';
import type { DecisionRecord } from '../../src/record/decision-record.js';
import { DecisionRecorder } from '../../src/record/decision-recorder.js';
import type { ShadowVerdict } from '../../src/record/shadow-verdict.js';
import { MemoryLabelStore } from '../../src/storage/memory/label-store.js';
import { MemoryRecordStore } from '../../src/storage/memory/record-store.js';
import { ShadowComparer } from '../../src/tuning/shadow-comparer.js';
import { label } from '../labels/labels.js';
import { record, shadowOf } from '../record/records.js';
import { HandClock } from '../support/hand-clock.js';

const HOUR = 3_600_000;
/** Twenty past. */
const NOW = 100 * HOUR + HOUR / 3;

const weekly = { outcome: 'routed', targetAgent: 'reports', capabilityId: 'weekly' } as const;
const convert = { outcome: 'routed', targetAgent: 'sheets', capabilityId: 'convert' } as const;
const nobody = { outcome: 'human', targetAgent: null, capabilityId: null } as const;

function comparer() {
  const clock = new HandClock();
  clock.pass(NOW);
  const records = new MemoryRecordStore();
  const labels = new MemoryLabelStore();
  const recorder = new DecisionRecorder({ store: records, team: 't', salt: 's', clock, report: () => {} });
  let asked = 0;
  const decided = (
    inForce: Partial<DecisionRecord>,
    shadow: Partial<ShadowVerdict> | null,
    intent = `intent ${asked}`,
  ) => {
    asked += 1;
    const plain = { atMs: NOW - HOUR + asked, intent, payloadFields: {}, weightsVersion: 'old' };
    const row = record(asked, { ...plain, ...inForce });
    return records.append('t', [{ ...row, shadow: shadow && shadowOf(row, shadow) }]);
  };
  const say = async (said: Partial<SaidLabel>, index = 0) => {
    await labels.add('t', [label(index, said)]);
  };
  const gatherer = new LabelGatherer({
    store: labels,
    team: 't',
    clock,
    recorded: async () => undefined,
    report: () => {},
  });
  const book = new LabelBook({ store: labels, team: 't', gatherer });
  const shadowComparer = new ShadowComparer({ recorder, records, labels: book, team: 't', clock });
  const compare = (hours = 1, end = new AbortController().signal) => shadowComparer.compare(hours, end);
  return { decided, say, compare, labels };
}

test('labels are read once for all who compare meanwhile', async () => {
  const { decided, say, compare, labels } = comparer();
  await decided(weekly, convert, 'of the week');
  await say({ intent: 'of the week', expected: ['reports/weekly'] });
  const reading = vi.spyOn(labels, 'page');
  const [one, ...others] = await Promise.all([compare(), compare(), compare()]);
  expect(reading).toHaveBeenCalledTimes(1);
  expect(one?.pairs).toMatchObject([{ right: { labelled: 1, inForce: 1, shadow: 0 } }]);
  expect(others).toEqual([one, one]);
  await compare();
  expect(reading).toHaveBeenCalledTimes(2);
});

test('a comparison ends with the service', async () => {
  const { decided, compare } = comparer();
  await decided(weekly, convert);
  const ended = new Error('the end');
  await expect(compare(1, AbortSignal.abort(ended))).rejects.toBe(ended);
});

test('tells nothing where no weights were in the shadow', async () => {
  const { decided, compare } = comparer();
  await decided(weekly, null);
  expect(await compare()).toEqual({ since: new Date(99 * HOUR).toISOString(), pairs: [] });
});

test('counts what is decided otherwise, and takes together what differs in the same way', async () => {
  const { decided, compare } = comparer();
  await decided(weekly, { confidence: 0.1 });
  await decided(weekly, convert, 'the oldest');
  await decided(nobody, convert);
  for (const intent of ['again', 'again', 'x'.repeat(2_000), 'newest'])
    await decided(weekly, convert, intent);
  const nothingKnown = { labelled: 0, inForce: 0, shadow: 0 };
  expect((await compare()).pairs).toEqual([
    {
      weightsVersion: 'old',
      shadowWeightsVersion: 'shadow',
      compared: 7,
      differing: 6,
      read: 6,
      right: nothingKnown,
      changes: [
        {
          inForce: weekly,
          shadow: convert,
          times: 5,
          right: nothingKnown,
          intents: ['newest', 'x'.repeat(1_000), 'again'],
        },
        { inForce: nobody, shadow: convert, times: 1, right: nothingKnown, intents: ['intent 2'] },
      ],
    },
  ]);
});

test('keeps weights apart that were changed meanwhile, those of the most intents first', async () => {
  const { decided, compare } = comparer();
  await decided(weekly, convert);
  for (let i = 0; i < 2; i += 1) await decided({ ...weekly, weightsVersion: 'new' }, {});
  await decided(weekly, { ...convert, weightsVersion: 'other' });
  await decided({ ...weekly, atMs: 99 * HOUR - 1 }, convert, 'too old');
  const { pairs } = await compare();
  expect(
    pairs.map(({ weightsVersion, shadowWeightsVersion, compared, differing, read }) => [
      weightsVersion,
      shadowWeightsVersion,
      compared,
      differing,
      read,
    ]),
  ).toEqual([
    ['new', 'shadow', 2, 0, 0],
    ['old', 'shadow', 1, 1, 1],
    ['old', 'other', 1, 1, 1],
  ]);
  expect((await compare(2)).pairs.map(({ compared }) => compared)).toEqual([2, 2, 1]);
});

test('says who was right, by what was reported, the label of a decision, or that of its intent', async () => {
  const { decided, say, compare } = comparer();
  const reported = { status: 'failed', latencyMs: null, rightCapability: 'sheets/convert' } as const;
  await decided({ ...weekly, reported }, convert, 'reported');
  await decided(weekly, convert, 'of the decision');
  await say({ intent: 'something else', routeId: record(2).routeId, expected: ['reports/weekly'] });
  await decided({ ...weekly, payloadFields: { b: 'string', a: 'null' } }, nobody, 'with fields');
  await say({ intent: 'With  FIELDS', payloadFields: { a: 'null', b: 'string' }, expected: ['a/b'] });
  await decided({ ...weekly, payloadFields: { b: 'string' } }, nobody, 'with other fields');
  await say({ intent: 'with other fields', expected: ['reports/weekly'] });
  const { right, changes } = (await compare()).pairs[0] ?? {};
  expect(right).toEqual({ labelled: 3, inForce: 1, shadow: 1 });
  expect(changes?.map((change) => [change.shadow.outcome, change.right])).toEqual([
    ['human', { labelled: 1, inForce: 0, shadow: 0 }],
    ['routed', { labelled: 2, inForce: 1, shadow: 1 }],
  ]);
});

test('where nothing fits, right is who leaves it to nobody, or to the fallback', async () => {
  const { decided, say, compare } = comparer();
  await decided(weekly, nobody, 'poem');
  await decided({ ...convert, outcome: 'fallback' }, weekly, 'poem');
  await say({ intent: 'poem', expected: [] });
  expect((await compare()).pairs[0]?.right).toEqual({ labelled: 2, inForce: 1, shadow: 1 });
});

test('contradicting labels: the newest counts', async () => {
  const { decided, say, compare } = comparer();
  await decided(weekly, convert, 'disputed');
  await say({ intent: 'disputed', expected: ['reports/weekly'] }, 2);
  await say({ intent: 'disputed', expected: ['sheets/convert'], atMs: 1 }, 1);
  expect((await compare()).pairs[0]?.right).toEqual({ labelled: 1, inForce: 1, shadow: 0 });
});
