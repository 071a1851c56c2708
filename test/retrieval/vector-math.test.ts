import { expect, test } from 'vitest';
import { isVector, weightedSum } from '../../src/retrieval/vector-math.js';

const x = Float32Array.of(1, 0);
const y = Float32Array.of(0, 1);

test('a weighted sum points where its weights pull it, at a length of 1', () => {
  const { direction, length } = weightedSum([
    { vector: x, times: 3 },
    { vector: y, times: 4 },
  ]);
  const [along = 0, across = 0] = direction;
  expect(length).toBe(5);
  expect(along).toBeCloseTo(0.6);
  expect(across).toBeCloseTo(0.8);
});

test('the sum of one is itself, whatever its weight', () => {
  expect(weightedSum([{ vector: y, times: 0.25 }]).direction).toEqual(y);
});

test('what adds up to nothing has no direction, and no number that is none', () => {
  const { direction: nothing } = weightedSum([
    { vector: x, times: 1 },
    { vector: x, times: -1 },
  ]);
  expect(nothing).toEqual(Float32Array.of(0, 0));
  expect(isVector(nothing, 2)).toBe(true);
});
