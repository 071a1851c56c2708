import { expect, test } from 'vitest';
import { MOST_INTENTS, recordedIntents } from '../../src/preview/recorded-intents.js';
import type { RecordedDecision } from '../../src/wire/records.js';

type Recorded = Pick<RecordedDecision, 'at' | 'intent' | 'payloadFields'>;

const at = (index: number) => new Date(Date.UTC(2026, 0, 1) - index * 1_000).toISOString();
const never = () => false;

/** Newest first, with a note of how many were read. */
function recording(decisions: readonly Omit<Recorded, 'at'>[]) {
  const read: number[] = [];
  const all = async function* (): AsyncGenerator<Recorded> {
    for (const [index, decision] of decisions.entries()) {
      read.push(index);
      yield { at: at(index), ...decision };
    }
  };
  return { all, read };
}

test('equal intents are one, with how often they came; those of other fields are others', async () => {
  const { all } = recording([
    { intent: 'b', payloadFields: { x: 'string', y: 'integer' } },
    { intent: 'a', payloadFields: {} },
    { intent: null, payloadFields: {} },
    { intent: 'b', payloadFields: { y: 'integer', x: 'string' } },
    { intent: 'b', payloadFields: { x: 'string' } },
  ]);
  expect(await recordedIntents(all(), never)).toEqual({
    intents: [
      { intent: 'b', payloadFields: { x: 'string', y: 'integer' }, times: 2 },
      { intent: 'a', payloadFields: {}, times: 1 },
      { intent: 'b', payloadFields: { x: 'string' }, times: 1 },
    ],
    since: null,
  });
});

test('nothing is read beyond the most that are asked, and it says how far it came', async () => {
  const intents = Array.from({ length: 3 * MOST_INTENTS }, (_, index) => `intent ${Math.floor(index / 2)}`);
  const { all, read } = recording(intents.map((intent) => ({ intent, payloadFields: {} })));
  const { intents: found, since } = await recordedIntents(all(), never);
  expect(found).toHaveLength(MOST_INTENTS);
  expect(found[0]).toMatchObject({ intent: 'intent 0', times: 2 });
  expect(since).toBe(at(2 * MOST_INTENTS - 1));
  expect(read).toHaveLength(2 * MOST_INTENTS + 1);
});

test('as many as are the most are all of them', async () => {
  const intents = Array.from({ length: MOST_INTENTS }, (_, index) => `intent ${index}`);
  const { all } = recording(intents.map((intent) => ({ intent, payloadFields: {} })));
  expect(await recordedIntents(all(), never)).toMatchObject({ since: null });
});

test('where the time is over, what was read until then counts', async () => {
  const { all } = recording(['a', 'b', 'c', 'd'].map((intent) => ({ intent, payloadFields: {} })));
  let looks = 0;
  const { intents, since } = await recordedIntents(all(), () => ++looks > 2);
  expect(intents.map(({ intent }) => intent)).toEqual(['a', 'b']);
  expect(since).toBe(at(1));
});

test('hostile intents and names of fields are names like others', async () => {
  const fields = JSON.parse('{"__proto__": "string", "constructor": "object"}');
  const { all } = recording([
    { intent: '__proto__', payloadFields: fields },
    { intent: '__proto__', payloadFields: {} },
    { intent: '["__proto__",[]]', payloadFields: {} },
  ]);
  const { intents } = await recordedIntents(all(), never);
  expect(intents).toHaveLength(3);
});
