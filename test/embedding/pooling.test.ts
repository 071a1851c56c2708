import { expect, test } from 'vitest';
import { joinWindows, poolRow } from '../../src/embedding/pooling.js';

const STATES = {
  // Two rows of three tokens of two numbers; the last token of the first row is padding.
  data: new Float32Array([1, 0, 0, 1, 99, 99, 0, 5, 0, 5, 3, 5]),
  tokens: 3,
  dim: 2,
};

test('the mean counts exactly the tokens of the text', () => {
  expect(Array.from(poolRow(STATES, 0, 2, 'mean'))).toEqual([
    Math.fround(Math.SQRT1_2),
    Math.fround(Math.SQRT1_2),
  ]);
  const [x = 0, y = 0] = poolRow(STATES, 1, 3, 'mean');
  expect(y / x).toBeCloseTo(5, 5);
});

test('cls is the first token', () => {
  expect(Array.from(poolRow(STATES, 1, 3, 'cls'))).toEqual([0, 1]);
});

test('windows count by the tokens that they carry', () => {
  const parts = [
    { vector: new Float32Array([1, 0]), weight: 3 },
    { vector: new Float32Array([0, 1]), weight: 1 },
  ];
  const [x = 0, y = 0] = joinWindows(parts);
  expect(x / y).toBeCloseTo(3, 5);
  expect(Math.hypot(x, y)).toBeCloseTo(1, 6);
});

test('a vector without a direction is no vector', () => {
  for (const value of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
    const states = { data: new Float32Array([value, 0]), tokens: 1, dim: 2 };
    expect(() => poolRow(states, 0, 1, 'mean')).toThrow(RangeError);
  }
});
