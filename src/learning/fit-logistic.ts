import { chanceOf } from '../routing/confidence.js';
import { addOuterProduct, dotOf } from './linear-algebra.js';
import { heldBack, minimise, type SmoothFunction } from './newton.js';
import { unitOf } from './unit-of.js';

/** One observation: what was known, and whether the answer was right. `weight`: how much it counts. */
export interface Observation {
  readonly inputs: readonly number[];
  readonly right: boolean;
  readonly weight: number;
}

/** `P(right) = 1 / (1 + exp(-(bias + slopes · inputs)))`. */
export interface Logistic {
  readonly bias: number;
  readonly slopes: readonly number[];
}

/** Where a model is before it has seen anything, and how far it is held back to it. */
export interface LogisticPrior {
  readonly home: Logistic;
  /** `ridge / 2` times the square of how far a number is from its home; a slope in units of its input's standard deviation. */
  readonly ridges: Logistic;
}

/** Knows nothing, and holds back slopes alone. */
export function fromNothing(width: number, ridge: number): LogisticPrior {
  const each = (value: number) => new Array<number>(width).fill(value);
  return { home: { bias: 0, slopes: each(0) }, ridges: { bias: 0, slopes: each(ridge) } };
}

/** Logistic regression: the slopes and bias under which the observations are likeliest (mean log-loss), held back. */
export function fitLogistic(observations: readonly Observation[], { home, ridges }: LogisticPrior): Logistic {
  if (observations.length === 0) return home;
  const { means, units } = scalesOf(observations, home.slopes.length);
  const atMeans = (slopes: readonly number[]) =>
    slopes.reduce((sum, slope, i) => sum + slope * (means[i] as number), 0);
  const start = Float64Array.of(
    home.bias + atMeans(home.slopes),
    ...home.slopes.map((slope, i) => slope * (units[i] as number)),
  );
  const loss = heldBack(meanLogLoss(observations, { means, units }), start, [ridges.bias, ...ridges.slopes]);
  const [biasAtMeans = 0, ...scaled] = minimise(start, loss);
  const slopes = scaled.map((slope, i) => slope / (units[i] as number));
  return { bias: biasAtMeans - atMeans(slopes), slopes };
}

/** Where an input is 0, and what is 1 of it, while it is fitted. */
interface Scales {
  readonly means: readonly number[];
  readonly units: readonly number[];
}

function scalesOf(observations: readonly Observation[], width: number): Scales {
  const total = totalOf(observations);
  const means = new Array<number>(width).fill(0);
  for (const { inputs, weight } of observations)
    for (const [i, input] of inputs.entries()) means[i] = (means[i] ?? 0) + (weight / total) * input;
  const variances = new Array<number>(width).fill(0);
  for (const { inputs, weight } of observations)
    for (const [i, input] of inputs.entries())
      variances[i] = (variances[i] ?? 0) + (weight / total) * (input - (means[i] ?? 0)) ** 2;
  return { means, units: variances.map(unitOf) };
}

const totalOf = (observations: readonly Observation[]) =>
  observations.reduce((sum, { weight }) => sum + weight, 0);

/** The mean log-loss as a function of the bias and, behind it, the slopes of the scaled inputs. */
function meanLogLoss(observations: readonly Observation[], { means, units }: Scales): SmoothFunction {
  const total = totalOf(observations);
  const rows = observations.map(({ inputs, right, weight }) => ({
    row: Float64Array.of(
      1,
      ...inputs.map((input, i) => (input - (means[i] as number)) / (units[i] as number)),
    ),
    right,
    share: weight / total,
  }));
  return (point) => {
    let value = 0;
    const gradient = new Float64Array(point.length);
    const hessian = new Float64Array(point.length ** 2);
    for (const { row, right, share } of rows) {
      const logit = dotOf(row, point);
      const chance = chanceOf(logit);
      value += share * logLoss(logit, right);
      const slope = share * (chance - (right ? 1 : 0));
      for (const [i, input] of row.entries()) gradient[i] = (gradient[i] as number) + slope * input;
      addOuterProduct(hessian, row, share * chance * (1 - chance));
    }
    return { value, gradient, hessian };
  };
}

/** -log P(right or wrong), without overflow. */
function logLoss(logit: number, right: boolean): number {
  const signed = right ? logit : -logit;
  return signed > 0 ? Math.log1p(Math.exp(-signed)) : Math.log1p(Math.exp(signed)) - signed;
}
