import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutIntoWindows, specialTokens } from '../../src/embedding/text-windows.js';

const FRAME = { before: [101, 7, 8], after: [102] };

test('windows hold every token once, in order, framed, none longer than allowed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 250_000 }), { maxLength: 400 }),
      fc.integer({ min: 8, max: 64 }),
      (body, max) => {
        const windows = cutIntoWindows(body, FRAME, max);
        for (const { ids, weight } of windows) {
          expect(ids.length).toBeLessThanOrEqual(max);
          expect(ids.slice(0, 3)).toEqual(FRAME.before);
          expect(ids.slice(-1)).toEqual(FRAME.after);
          expect(weight).toBe(ids.length - 4);
        }
        expect(windows.flatMap(({ ids }) => ids.slice(3, -1))).toEqual(body);
      },
    ),
  );
});

test('windows of a text differ in length by one token at most', () => {
  const body = Array.from({ length: 1_021 }, (_, index) => index);
  const lengths = cutIntoWindows(body, FRAME, 512).map(({ weight }) => weight);
  expect(lengths).toEqual([340, 340, 341]);
});

test.each([
  ['before and after', [0, 5, 6, 2], [5, 6], { before: [0], after: [2] }],
  ['only after', [5, 2, 2], [5], { before: [], after: [2, 2] }],
  ['none', [5], [5], { before: [], after: [] }],
])('special tokens: %s', (_, marked, bare, expected) => {
  expect(specialTokens(marked, bare)).toEqual(expected);
});

test('a tokenizer that changes the text beside its special tokens cannot be framed', () => {
  expect(() => specialTokens([0, 9, 2], [5])).toThrow(RangeError);
});
