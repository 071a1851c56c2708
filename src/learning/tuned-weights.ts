import type { Weights } from '../routing/weights.js';
import { type NewAnswer, newAnswers, newRankings, tunedCalibrations } from './cross-fit.js';
import { rounded } from './rounded.js';
import type { SeenLabel } from './seen-labels.js';
import { withTunedFeatures } from './tune-features.js';
import { chooseThreshold, type Wanted, withCapabilityThresholds } from './tune-thresholds.js';

/** With fewer labels, thresholds and top_k stay as they are. */
export const FEWEST_LABELS = 50;
/** Of the right ones that a search finds, so many may stand behind the first `top_k`. */
const LOST = 0.01;

/** What was learned from labels. */
export interface LearnedWeights {
  /** Under the name of those before. */
  readonly weights: Weights;
  /** Whether there is a threshold at which the precision can be expected; undefined where there were too few labels to look for it. */
  readonly reachesPrecision: boolean | undefined;
}

/** The least number of candidates that has nearly all right ones. */
function leastTopK(answers: readonly NewAnswer[]): number | undefined {
  const places = answers
    .map(({ place }) => place)
    .filter((place) => place >= 0)
    .sort((a, b) => a - b);
  const last = places[Math.ceil((1 - LOST) * places.length) - 1];
  return last === undefined ? undefined : last + 1;
}

/**
 * Weights that fit the labels better, held back to those before, the more the fewer labels there are. What confidence
 * means is learned from rankings that did not know the label: what comes new is ranked worse than what weights know.
 */
export function tunedWeights(seen: readonly SeenLabel[], before: Weights, wanted: Wanted): LearnedWeights {
  const moved = withTunedFeatures(
    before,
    seen.map(({ sample }) => sample),
  );
  const rankings = newRankings(seen, before);
  const { params } = before.calibration;
  const calibrations = tunedCalibrations(rankings, params);
  const weights: Weights = {
    ...before,
    features: rounded(moved.features),
    calibration: rounded({
      kind: before.calibration.kind,
      params: { ...moved.calibration.params, ...calibrations },
    }),
  };
  if (seen.length < FEWEST_LABELS) return { weights, reachesPrecision: undefined };
  const answers = newAnswers(rankings, params);
  const chosen = chooseThreshold(answers, wanted);
  if (chosen === undefined) return { weights, reachesPrecision: undefined };
  const thresholds = rounded(withCapabilityThresholds(before.thresholds, chosen.threshold, answers));
  return {
    weights: { ...weights, thresholds, top_k: leastTopK(answers) ?? before.top_k },
    reachesPrecision: chosen.reached,
  };
}
