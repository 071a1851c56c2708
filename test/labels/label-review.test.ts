import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import { reviewOf } from '../../src/labels/label-review.js';
import { nearDuplicatesBeside } from '../../src/labels/near-duplicates-beside.js';
import type { StoredLabel } from '../../src/labels/stored-label.js';
import { label } from './labels.js';

const names = new CapabilityNames([
  { agentName: 'report-agent', capabilities: [{ id: 'weekly-summary' }, { id: 'monthly' }] },
]);
const WEEKLY = ['report-agent/weekly-summary'];
const MONTHLY = ['report-agent/monthly'];

const review = (labels: readonly StoredLabel[]) =>
  reviewOf(
    async function* () {
      yield* labels;
    },
    names,
    systemClock,
    new AbortController().signal,
  );

test('labels that contradict each other are told together: the same intent and fields, another expectation', async () => {
  const same = { intent: '生成周报', payloadFields: { week: 'integer', year: 'integer' } } as const;
  const labels = [
    label(1, same),
    label(2, {
      ...same,
      intent: ' 生成周報 ',
      expected: MONTHLY,
      payloadFields: { year: 'integer', week: 'integer' },
    }),
    label(3, { ...same, expected: [] }),
    label(4, { ...same, payloadFields: null, expected: MONTHLY }),
    label(5, { ...same, intent: 'something else entirely' }),
  ];
  const { contradictions, gone, leftOut } = await review(labels);
  expect(contradictions).toMatchObject([
    { count: 3, labels: [{ expected: WEEKLY }, { expected: MONTHLY }, { expected: [] }] },
  ]);
  expect(contradictions[0]?.labels[0]).not.toHaveProperty('routeId');
  expect([gone, leftOut]).toEqual([[], { contradictions: 0, nearDuplicates: 0, gone: 0 }]);
});

test('no payload and one without fields ask for the same', async () => {
  const { contradictions } = await review([
    label(1, { intent: 'weekly report', payloadFields: null }),
    label(2, { intent: 'weekly report', payloadFields: {}, expected: MONTHLY }),
  ]);
  expect(contradictions).toMatchObject([{ count: 2, labels: [{ expected: WEEKLY }, { expected: MONTHLY }] }]);
});

test('a capability that is gone is told with the labels that expect it', async () => {
  const { gone } = await review([
    label(1),
    label(2, { expected: ['report-agent/quarterly', ...WEEKLY] }),
    label(3, { expected: ['weekly-summary'] }),
  ]);
  expect(gone).toMatchObject([
    { capability: 'report-agent/quarterly', count: 1, labels: [{ intent: 'intent 2' }] },
    { capability: 'weekly-summary', count: 1 },
  ]);
});

test('near-duplicates are told, those first that disagree, and the same intent from two sources is none', async () => {
  const { nearDuplicates } = await review([
    label(1, { intent: 'please book a table for two persons tonight' }),
    label(2, { intent: 'please book a table for 4 persons tonight' }),
    label(3, { intent: 'please book a table for 5 persons tonight' }),
    label(4, { intent: 'summarise the numbers of last week' }),
    label(5, { intent: 'Summarise the numbers of last week!', expected: MONTHLY }),
    label(6, { intent: 'refund the order', source: 'clarify' }),
    label(7, { intent: 'refund the order', source: 'import' }),
  ]);
  expect(
    nearDuplicates?.map(({ count, labels }) => [count, labels.map(({ intent }) => intent.length)]),
  ).toEqual([
    [2, [34, 35]],
    [3, [43, 41, 41]],
  ]);
});

test('what is too much to compare in time is not told, and held nobody up', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${'abcdefghij'[index % 10]}${index}`);
  const alike = Array.from(
    { length: 20_000 },
    (_, index) => `${words.join(' ')} ${index} ${'x'.repeat(index % 400)}`,
  );
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 20);
  expect(await nearDuplicatesBeside(alike, 500, systemClock, new AbortController().signal)).toBeNull();
  clearInterval(turning);
  expect(turns).toBeGreaterThan(5);
});

test('texts that are still compared when the service ends are let go of at once', async () => {
  const alike = Array.from(
    { length: 20_000 },
    (_, index) => `${'word '.repeat(40)}${'x'.repeat(index % 400)} ${index}`,
  );
  const ended = new Error('the end');
  const ending = new AbortController();
  const comparing = nearDuplicatesBeside(alike, 600_000, systemClock, ending.signal);
  setTimeout(() => ending.abort(ended), 100);
  await expect(comparing).rejects.toBe(ended);
});

test('of many groups the first 100 are told, of each the newest 10, of an intent of 20,000 characters 1,000', async () => {
  const contradicting = Array.from({ length: 120 }, (_, group) =>
    [WEEKLY, MONTHLY].map((expected, place) =>
      label(2 * group + place, { intent: `${'周'.repeat(19_990)} ${group}`, expected: [...expected] }),
    ),
  ).flat();
  const goneTwelveTimes = Array.from({ length: 12 }, (_, index) =>
    label(1_000 + index, { expected: ['old/one'] }),
  );
  const { contradictions, gone, leftOut, labels } = await review([...contradicting, ...goneTwelveTimes]);
  expect([contradictions.length, leftOut.contradictions, labels]).toEqual([100, 20, 252]);
  expect(contradictions[0]?.labels[0]?.intent).toHaveLength(1_000);
  expect(gone[0]?.count).toBe(12);
  expect(gone[0]?.labels.map(({ intent }) => intent)).toEqual(
    Array.from({ length: 10 }, (_, index) => `intent ${1_002 + index}`),
  );
});
