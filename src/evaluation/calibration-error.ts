import type { Interval } from './interval.js';
import { percentile } from './percentile.js';
import { seededRandom } from './seeded-random.js';

/** Whether the answer that was given with this confidence was right. */
export interface Answer {
  readonly confidence: number;
  readonly right: boolean;
}

const BINS = 10;

/** Where each bin begins and ends in `count` sorted answers: equal counts, as far as they divide. */
export function bins(count: number): readonly (readonly [start: number, end: number])[] {
  const used = Math.min(BINS, count);
  return Array.from({ length: used }, (_, bin) => [
    Math.floor((bin * count) / used),
    Math.floor(((bin + 1) * count) / used),
  ]);
}

/** Of answers that stand in the order of their confidence; `right` tells by their place. */
function errorOfSorted(confidences: readonly number[], right: (index: number) => boolean): number {
  let error = 0;
  for (const [start, end] of bins(confidences.length)) {
    let difference = 0;
    for (let i = start; i < end; i += 1) difference += (confidences[i] ?? 0) - (right(i) ? 1 : 0);
    error += Math.abs(difference);
  }
  return error / confidences.length;
}

/**
 * The expected calibration error: how far confidence lies from the share of right answers, over ten bins of equal
 * count, weighted by their counts. 0 is perfect; null where there are no answers.
 */
export function expectedCalibrationError(answers: readonly Answer[]): number | null {
  if (answers.length === 0) return null;
  const sorted = answers.toSorted((a, b) => a.confidence - b.confidence);
  return errorOfSorted(
    sorted.map(({ confidence }) => confidence),
    (index) => sorted[index]?.right ?? false,
  );
}

/** What a perfectly calibrated router would measure: chance alone makes an error of it. */
export interface CalibrationNoise extends Interval {
  readonly mean: number;
}

const ROUNDS = 400;
const SEED = 20_260_101;

/**
 * What the calibration error would be if every one of these confidences were exactly the probability of being
 * right: simulated, the same in every run. Null where there are none.
 */
export function calibrationNoise(confidences: readonly number[]): CalibrationNoise | null {
  if (confidences.length === 0) return null;
  const random = seededRandom(SEED);
  const sorted = confidences.toSorted((a, b) => a - b);
  const errors = Array.from({ length: ROUNDS }, () =>
    errorOfSorted(sorted, (index) => random() < (sorted[index] ?? 0)),
  ).sort((a, b) => a - b);
  const mean = errors.reduce((sum, error) => sum + error, 0) / ROUNDS;
  return { mean, low: percentile(errors, 0.025), high: percentile(errors, 0.975) };
}
