import { logitOf } from '../routing/confidence.js';
import type { ConfidenceInput, ConfidenceInputs } from '../routing/confidence-inputs.js';
import type { Calibration } from '../routing/weights.js';
import { fitLogistic } from './fit-logistic.js';

/** An answer of which is known whether it was right, and what its confidence is made of. */
export interface JudgedInputs {
  readonly inputs: ConfidenceInputs;
  readonly right: boolean;
}

/** How far a calibration is held back: as if so many labels said that it is right as it is. */
const PULL = { bias: 10, scale: 10, slope: 20 } as const;

/**
 * A calibration that is corrected by answers: first of all how sure it is on the whole and how fast it gets surer, much
 * less what the single inputs count. The first two are Platt's (*Probabilistic Outputs for Support Vector Machines*,
 * 1999), here of the log-odds before.
 */
export function tunedCalibration(answers: readonly JudgedInputs[], before: Calibration): Calibration {
  const names = Object.keys(before.slopes) as ConfidenceInput[];
  const observations = answers.map(({ inputs, right }) => ({
    inputs: [logitOf(before, inputs), ...names.map((name) => inputs[name])],
    right,
    weight: 1,
  }));
  const share = 1 / Math.max(1, answers.length);
  const {
    bias,
    slopes: [scale = 1, ...slopes],
  } = fitLogistic(observations, {
    home: { bias: 0, slopes: [1, ...names.map(() => 0)] },
    ridges: {
      bias: PULL.bias * share,
      slopes: [PULL.scale, ...names.map(() => PULL.slope)].map((pull) => pull * share),
    },
  });
  return {
    bias: before.bias * scale + bias,
    slopes: Object.fromEntries(
      names.map((name, i) => [name, (before.slopes[name] ?? 0) * scale + (slopes[i] ?? 0)]),
    ),
  };
}
