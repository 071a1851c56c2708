import { softmax } from '../routing/confidence.js';
import { addOuterProduct, dotOf, type SymmetricMatrix } from './linear-algebra.js';
import { heldBack, minimise, type SmoothFunction } from './newton.js';
import { unitOf } from './unit-of.js';

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
  const telling = samples.filter(({ right }) => right.includes(true) && right.includes(false));
  const units = unitsOf(telling, ridges.length);
  const scaled = telling.map((sample) => ({
    ...sample,
    candidates: sample.candidates.map((features) => features.map((x, i) => x / (units[i] as number))),
  }));
  const from = Float64Array.from(start, (weight, i) => weight * (units[i] as number));
  const floors = ridges.map(() => 0);
  const fitted = minimise(from, heldBack(meanLogLoss(scaled), from, ridges), floors);
  return fitted.map((weight, i) => weight / (units[i] as number));
}

/** The mean of -log P(a right candidate comes first) as a function of the weights. */
function meanLogLoss(samples: readonly RankedSample[]): SmoothFunction {
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  return (weights) => {
    const width = weights.length;
    let value = 0;
    const gradient = new Float64Array(width);
    const hessian = new Float64Array(width * width);
    for (const { candidates, right, weight } of samples) {
      const share = weight / total;
      const chances = softmax(candidates.map((features) => dotOf(features, weights)));
      const chancesIfRight = chances.map((chance, i) => (right[i] ? chance : 0));
      const rightChance = Math.max(
        chancesIfRight.reduce((sum, chance) => sum + chance, 0),
        Number.MIN_VALUE,
      );
      value -= share * Math.log(rightChance);
      const mean = weightedMean(candidates, chances, width);
      const rightMean = weightedMean(
        candidates,
        chancesIfRight.map((chance) => chance / rightChance),
        width,
      );
      for (const [i, expected] of mean.entries())
        gradient[i] = (gradient[i] as number) + share * (expected - (rightMean[i] as number));
      addSpread(hessian, candidates, chances, mean, share);
    }
    return { value, gradient, hessian };
  };
}

/** How far each feature spreads among the candidates of an intent, on the average; 1 where it never does. */
function unitsOf(samples: readonly RankedSample[], width: number): Float64Array {
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
  return variances.map(unitOf);
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

/**
 * Adds `share` times the covariance of the rows under their chances to `matrix`. (That of the right ones would be
 * taken off where several are right; without it the matrix is never indefinite, so a step always leads down.)
 */
function addSpread(
  matrix: SymmetricMatrix,
  rows: readonly Float64Array[],
  chances: readonly number[],
  mean: Float64Array,
  share: number,
): void {
  for (const [i, row] of rows.entries()) {
    const weight = share * (chances[i] as number);
    // Too unlikely to bend anything.
    if (weight < 1e-12) continue;
    addOuterProduct(
      matrix,
      row.map((value, a) => value - (mean[a] as number)),
      weight,
    );
  }
}
