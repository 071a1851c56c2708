import type { Pooling } from './model-description.js';

/** A model's output: `rows` x `tokens` x `dim` numbers, row after row; the rows were padded to `tokens`. */
export interface HiddenStates {
  readonly data: Float32Array;
  readonly tokens: number;
  readonly dim: number;
}

/**
 * The vector scaled to length 1.
 * @throws RangeError where it has no direction: a zero or a number that is not finite.
 */
function unit(sums: Float64Array): Float32Array {
  let squares = 0;
  for (let index = 0; index < sums.length; index += 1) {
    const value = sums[index] as number;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) throw new RangeError('the vector has no direction');
  const vector = new Float32Array(sums.length);
  for (let index = 0; index < sums.length; index += 1) vector[index] = (sums[index] as number) / length;
  return vector;
}

/**
 * The unit vector of one row of which the first `length` tokens are the text's. The mean is taken over
 * exactly these, so padding leaves no trace; its division by `length` is left out, since the length of the
 * sum does not survive.
 */
export function poolRow(states: HiddenStates, row: number, length: number, pooling: Pooling): Float32Array {
  const { data, tokens, dim } = states;
  const counted = pooling === 'cls' ? 1 : length;
  const sums = new Float64Array(dim);
  for (let token = 0; token < counted; token += 1) {
    const start = (row * tokens + token) * dim;
    for (let index = 0; index < dim; index += 1) {
      sums[index] = (sums[index] as number) + (data[start + index] as number);
    }
  }
  return unit(sums);
}

/** One unit vector for a text of several windows: their vectors weighted by the tokens that each carries. */
export function joinWindows(parts: readonly { vector: Float32Array; weight: number }[]): Float32Array {
  const [first, ...others] = parts;
  if (first === undefined) throw new RangeError('a text has at least one window');
  if (others.length === 0) return first.vector;
  const sums = new Float64Array(first.vector.length);
  for (const { vector, weight } of parts) {
    for (const [index, value] of vector.entries()) sums[index] = (sums[index] ?? 0) + value * weight;
  }
  return unit(sums);
}
