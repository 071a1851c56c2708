import { minimise, type Point } from './newton.js';

/** An intent whose right answer is known: the features of its candidates, and which of them are right. */
export interface RankedSample {
  readonly candidates: readonly Float64Array[];
  readonly right: readonly boolean[];
  /** How much it counts. */
  readonly weight: number;
}

export interface RelevanceFit {
  /** How far each weight is held back to its start, in units of how far its feature spreads within an intent. */
  readonly ridges: readonly number[];
  readonly start: readonly number[];
}

/**
 * The weights under which a right candidate is likeliest to come first: conditional logistic regression, where
 * the chances of the candidates of one intent are the softmax of their weighted features. What has no right
 * candidate, or no wrong one, teaches nothing. No weight is under 0: of every feature more is better.
 */
export function fitRelevance(
  samples: readonly RankedSample[],
  { ridges, start }: RelevanceFit,
): Float64Array {
  const width = ridges.length;
  const telling = samples.filter(({ right }) => right.includes(true) && right.includes(false));
  const scales = scalesOf(telling, width);
  const scaled = telling.map((sample) => ({
    ...sample,
    candidates: sample.candidates.map((features) => features.map((x, i) => x / (scales[i] as number))),
  }));
  const total = telling.reduce((sum, { weight }) => sum + weight, 0);
  const from = Float64Array.from(start, (weight, i) => weight * (scales[i] as number));
  const at = (weights: Float64Array): Point => {
    let value = 0;
    const gradient = new Float64Array(width);
    const hessian = new Float64Array(width * width);
    for (const { candidates, right, weight } of scaled) {
      const chances = softmax(candidates.map((features) => dotOf(features, weights)));
      const rightChance = Math.max(
        chances.reduce((sum, chance, i) => sum + (right[i] ? chance : 0), 0),
        Number.MIN_VALUE,
      );
      const share = weight / total;
      value -= share * Math.log(rightChance);
      const mean = weightedMean(candidates, chances, width);
      const rightMean = weightedMean(
        candidates,
        chances.map((chance, i) => (right[i] ? chance / rightChance : 0)),
        width,
      );
      for (let a = 0; a < width; a += 1)
        gradient[a] = (gradient[a] as number) + share * ((mean[a] as number) - (rightMean[a] as number));
      addSpread(hessian, candidates, chances, mean, share);
    }
    for (let a = 0; a < width; a += 1) {
      const [ridge, w] = [ridges[a] as number, (weights[a] as number) - (from[a] as number)];
      value += (ridge / 2) * w * w;
      gradient[a] = (gradient[a] as number) + ridge * w;
      hessian[a * width + a] = (hessian[a * width + a] as number) + ridge;
    }
    return { value, gradient, hessian };
  };
  const floors = ridges.map(() => 0);
  return minimise(from, at, floors).map((weight, i) => weight / (scales[i] as number));
}

/** How far each feature spreads among the candidates of an intent, on the average; 1 where it never does. */
function scalesOf(samples: readonly RankedSample[], width: number): Float64Array {
  const variances = new Float64Array(width);
  for (const { candidates } of samples) {
    const even = candidates.map(() => 1 / candidates.length);
    const mean = weightedMean(candidates, even, width);
    for (const features of candidates)
      for (let a = 0; a < width; a += 1)
        variances[a] =
          (variances[a] as number) +
          ((features[a] as number) - (mean[a] as number)) ** 2 / (candidates.length * samples.length);
  }
  return variances.map((variance) => (variance > 1e-24 ? Math.sqrt(variance) : 1));
}

function dotOf(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

function weightedMean(
  rows: readonly Float64Array[],
  weights: readonly number[],
  width: number,
): Float64Array {
  const mean = new Float64Array(width);
  for (const [i, row] of rows.entries()) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    for (let a = 0; a < width; a += 1) mean[a] = (mean[a] as number) + weight * (row[a] as number);
  }
  return mean;
}

/** Adds `share` times the covariance of the rows under their chances to the lower half of `matrix`. */
function addSpread(
  matrix: Float64Array,
  rows: readonly Float64Array[],
  chances: readonly number[],
  mean: Float64Array,
  share: number,
): void {
  const width = mean.length;
  const offset = new Float64Array(width);
  for (const [i, row] of rows.entries()) {
    const weight = share * (chances[i] as number);
    // Too unlikely to bend anything.
    if (weight < 1e-12) continue;
    for (let a = 0; a < width; a += 1) offset[a] = (row[a] as number) - (mean[a] as number);
    for (let a = 0; a < width; a += 1) {
      const scaled = weight * (offset[a] as number);
      for (let b = 0; b <= a; b += 1)
        matrix[a * width + b] = (matrix[a * width + b] as number) + scaled * (offset[b] as number);
    }
  }
}
