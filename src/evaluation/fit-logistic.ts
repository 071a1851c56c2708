import { minimise } from './newton.js';

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

/**
 * Logistic regression: the slopes and bias under which the observations are likeliest (mean log-loss), each
 * slope held back by `ridge / 2` times its square in units of the input's standard deviation.
 */
export function fitLogistic(observations: readonly Observation[], ridge: number): Logistic {
  const [first] = observations;
  if (first === undefined) return { bias: 0, slopes: [] };
  const width = first.inputs.length;
  const { means, deviations } = spreadOf(observations, width);
  const rows = observations.map(({ inputs }) =>
    Float64Array.from([1, ...inputs.map((input, i) => (input - (means[i] ?? 0)) / (deviations[i] ?? 1))]),
  );
  const total = observations.reduce((sum, { weight }) => sum + weight, 0);
  const fitted = minimise(new Float64Array(width + 1), (point) => {
    const n = width + 1;
    const gradient = new Float64Array(n);
    const hessian = new Float64Array(n * n);
    let value = 0;
    for (const [i, { right, weight }] of observations.entries()) {
      const row = rows[i] as Float64Array;
      const logit = row.reduce((sum, x, k) => sum + x * (point[k] as number), 0);
      const share = weight / total;
      value += share * logLoss(logit, right);
      const p = 1 / (1 + Math.exp(-logit));
      const slope = share * (p - (right ? 1 : 0));
      const curve = share * p * (1 - p);
      for (let a = 0; a < n; a += 1) {
        gradient[a] = (gradient[a] as number) + slope * (row[a] as number);
        for (let b = 0; b < n; b += 1)
          hessian[a * n + b] =
            (hessian[a * n + b] as number) + curve * (row[a] as number) * (row[b] as number);
      }
    }
    for (let a = 1; a < n; a += 1) {
      const w = point[a] as number;
      value += (ridge / 2) * w * w;
      gradient[a] = (gradient[a] as number) + ridge * w;
      hessian[a * n + a] = (hessian[a * n + a] as number) + ridge;
    }
    return { value, gradient, hessian };
  });
  const slopes = [...fitted.subarray(1)].map((slope, i) => slope / (deviations[i] ?? 1));
  const bias = slopes.reduce((sum, slope, i) => sum - slope * (means[i] ?? 0), fitted[0] ?? 0);
  return { bias, slopes };
}

/** -log P(right or wrong), without overflow. */
function logLoss(logit: number, right: boolean): number {
  const signed = right ? logit : -logit;
  return signed > 0 ? Math.log1p(Math.exp(-signed)) : Math.log1p(Math.exp(signed)) - signed;
}

function spreadOf(observations: readonly Observation[], width: number) {
  const total = observations.reduce((sum, { weight }) => sum + weight, 0);
  const means = new Array<number>(width).fill(0);
  for (const { inputs, weight } of observations)
    for (const [i, input] of inputs.entries()) means[i] = (means[i] ?? 0) + (weight / total) * input;
  const variances = new Array<number>(width).fill(0);
  for (const { inputs, weight } of observations)
    for (const [i, input] of inputs.entries())
      variances[i] = (variances[i] ?? 0) + (weight / total) * (input - (means[i] ?? 0)) ** 2;
  // An input that never changes says nothing, whatever its unit.
  return { means, deviations: variances.map((variance) => (variance > 1e-24 ? Math.sqrt(variance) : 1)) };
}
