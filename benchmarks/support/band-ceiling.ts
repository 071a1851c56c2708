import { calibrationNoise, expectedCalibrationError } from '../../src/evaluation/calibration-error.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { tunedCalibration } from '../../src/learning/tune-calibration.js';
import { chanceOf, logitOf, logOddsOf } from '../../src/routing/confidence.js';
import { CONFIDENCE_INPUTS, type ConfidenceInputs } from '../../src/routing/confidence-inputs.js';
import type { Calibration } from '../../src/routing/weights.js';

const ROUNDS = 20;
const SEED = 1;
/** Confidence as it was told: all that is learned is how sure it is on the whole, and how fast it gets surer. */
const AS_TOLD: Calibration = { bias: 0, slopes: { softmax_logit: 1 } };
const NOTHING = Object.fromEntries(CONFIDENCE_INPUTS.map((name) => [name, 0])) as Record<
  keyof ConfidenceInputs,
  number
>;

const inputsOf = (chance: number): ConfidenceInputs => ({ ...NOTHING, softmax_logit: logOddsOf(chance) });

/**
 * How often a set would lie in its noise band if these confidences were exactly true to begin with, and were then
 * corrected by so many labels as tuning corrects them: the more the labels err by chance, the less often. 0..1.
 */
export function bandCeiling(chances: readonly number[], labels: number): number {
  const random = seededRandom(SEED);
  const drawn = () => {
    const chance = chances[Math.floor(random() * chances.length)] ?? 0.5;
    return { inputs: inputsOf(chance), right: random() < chance };
  };
  const isInBand = () => {
    const learned = tunedCalibration(Array.from({ length: labels }, drawn), AS_TOLD);
    const answers = chances.map((chance) => ({
      confidence: chanceOf(logitOf(learned, inputsOf(chance))),
      right: random() < chance,
    }));
    const noise = calibrationNoise(answers.map(({ confidence }) => confidence));
    return (expectedCalibrationError(answers) ?? 0) <= (noise?.high ?? 0);
  };
  return Array.from({ length: ROUNDS }, isInBand).filter(Boolean).length / ROUNDS;
}
