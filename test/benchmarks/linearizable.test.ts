import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notLinearizable, type SeenOperation } from '../../benchmarks/support/linearizable.js';
import {
  COMPARE_AND_SET,
  IDEMPOTENCY,
  type KeyedAnswered,
  type KeyedAsked,
  type RevisionAnswered,
  type RevisionAsked,
} from '../../benchmarks/support/sequential-models.js';

type Write = SeenOperation<RevisionAsked, RevisionAnswered>;
type Keyed = SeenOperation<KeyedAsked, KeyedAnswered>;

const write = (expected: number, value: string, beganAt: number, endedAt: number, well = true): Write => ({
  ...{ key: 'k', beganAt, endedAt, asked: { kind: 'write', expected, value } },
  answered: well ? { kind: 'is', revision: expected + 1, value } : { kind: 'stale' },
});
const read = (revision: number, value: string | null, beganAt: number, endedAt: number): Write => ({
  ...{ key: 'k', beganAt, endedAt, asked: { kind: 'read' }, answered: { kind: 'is', revision, value } },
});
const unknown = (operation: Write): Write => ({ ...operation, answered: undefined });

describe('a history of compare and set', () => {
  const faults = (...history: readonly Write[]) => notLinearizable(history, COMPARE_AND_SET);

  it('is explained where one of two that raced has won', () => {
    expect(faults(write(0, 'a', 0, 10), write(0, 'b', 1, 9, false), read(1, 'a', 11, 12))).toEqual([]);
  });

  it('is not where both have won', () => {
    expect(faults(write(0, 'a', 0, 10), write(0, 'b', 1, 9))).toEqual(['k']);
  });

  it('is not where a later read tells what was before', () => {
    expect(faults(write(0, 'a', 0, 1), write(1, 'b', 2, 3), read(1, 'a', 4, 5))).toEqual(['k']);
    expect(faults(write(0, 'a', 0, 1), write(1, 'b', 2, 6), read(1, 'a', 4, 5))).toEqual([]);
  });

  it('is not where one was refused though nobody else can have written', () => {
    expect(faults(write(0, 'a', 0, 1, false))).toEqual(['k']);
  });

  it('lets what nobody knows have happened or not, and only once', () => {
    const lost = unknown(write(0, 'a', 0, 1));
    expect(faults(lost, read(0, null, 2, 3))).toEqual([]);
    expect(faults(lost, read(0, null, 2, 3), read(1, 'a', 4, 5))).toEqual([]);
    expect(faults(lost, read(1, 'a', 2, 3), read(0, null, 4, 5))).toEqual(['k']);
    expect(faults(read(1, 'a', 2, 3), unknown(write(0, 'a', 4, 5)))).toEqual(['k']);
  });

  it('is told by key', () => {
    const other = { ...write(0, 'b', 0, 1), key: 'other' };
    expect(faults(write(0, 'a', 0, 1), other, read(0, null, 2, 3))).toEqual(['k']);
  });

  it('is always explained where it was made by one after the other, whatever their lengths, and never where one answer is another', () => {
    const step = fc.record({
      before: fc.nat(5),
      after: fc.nat(5),
      right: fc.boolean(),
      isRead: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), fc.nat(), (steps, chosen) => {
        let revision = 0;
        let value: string | null = null;
        const history = steps.map(({ before, after, right, isRead }, index): Write => {
          const [beganAt, endedAt] = [index * 4 - before, index * 4 + after];
          if (isRead) return read(revision, value, beganAt, endedAt);
          const made = write(right ? revision : revision + 7, `v${index}`, beganAt, endedAt, right);
          if (right) {
            revision += 1;
            value = `v${index}`;
          }
          return made;
        });
        expect(faults(...history)).toEqual([]);
        const place = chosen % history.length;
        const impossible = read(revision + 1, 'nobody wrote this', 0, 1_000);
        expect(faults(...history.with(place, impossible))).toEqual(['k']);
      }),
    );
  });
});

describe('a history of requests under keys', () => {
  const ask = (
    body: string,
    answered: KeyedAnswered | undefined,
    beganAt: number,
    endedAt: number,
  ): Keyed => ({
    ...{ key: 'k', asked: { body }, answered, beganAt, endedAt },
  });
  const answer = (text: string) => ({ kind: 'answer', answer: text }) as const;
  const conflict = { kind: 'conflict' } as const;
  const faults = (...history: readonly Keyed[]) => notLinearizable(history, IDEMPOTENCY);

  it('is explained where all who came with the first body have one answer', () => {
    expect(
      faults(ask('a', answer('1'), 0, 5), ask('a', answer('1'), 1, 9), ask('b', conflict, 6, 7)),
    ).toEqual([]);
  });

  it('is not where a key gave two answers, or another body was taken', () => {
    expect(faults(ask('a', answer('1'), 0, 5), ask('a', answer('2'), 1, 9))).toEqual(['k']);
    expect(faults(ask('a', answer('1'), 0, 5), ask('b', answer('2'), 6, 7))).toEqual(['k']);
    expect(faults(ask('b', conflict, 0, 1), ask('a', answer('1'), 2, 5))).toEqual(['k']);
  });

  it('lets one that nobody answered have come first', () => {
    expect(faults(ask('a', undefined, 0, 1), ask('b', conflict, 2, 3))).toEqual([]);
    expect(faults(ask('a', undefined, 0, 1), ask('b', answer('1'), 2, 3))).toEqual([]);
  });
});
