import { logitOf } from '../routing/confidence.js';
import type { ConfidenceInputs } from '../routing/confidence-inputs.js';
import type { Weights } from '../routing/weights.js';
import { foldsOf } from './label-split.js';
import { inputsUnder, rankedUnder } from './ranked-candidates.js';
import type { SeenLabel } from './seen-labels.js';
import { tunedCalibration } from './tune-calibration.js';
import { withTunedFeatures } from './tune-features.js';

/** The answer to a label under features that were learned without it. */
export interface NewRanking {
  readonly withPayload: boolean;
  readonly inputs: ConfidenceInputs;
  readonly right: boolean;
  /** `agent_name/id` of the best candidate. */
  readonly predicted: string;
  /** Where the first right candidate stands, from 0; -1: nowhere. */
  readonly place: number;
  /** Those of one fold were left out together. */
  readonly fold: number;
}

const FOLDS = 5;

/** Rankings as they will be of what is new: each label ranked by features learned from the folds that it is not in. */
export function newRankings(seen: readonly SeenLabel[], before: Weights): NewRanking[] {
  const folds = foldsOf(
    seen.map(({ label }) => label),
    FOLDS,
  );
  const foldOf = ({ label }: SeenLabel) => folds.get(label) ?? 0;
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const others = seen.filter((each) => foldOf(each) !== fold).map(({ sample }) => sample);
    const weights = withTunedFeatures(before, others);
    return seen.filter((each) => foldOf(each) === fold).map((each) => rankingOf(each, weights, fold));
  });
}

function rankingOf({ sample, keys }: SeenLabel, weights: Weights, fold: number): NewRanking {
  const order = rankedUnder(weights, sample);
  const [best] = order;
  return {
    withPayload: sample.withPayload,
    inputs: inputsUnder(weights, sample, order),
    right: best?.isRight ?? false,
    predicted: keys[best?.place ?? 0] ?? '',
    place: order.findIndex(({ isRight }) => isRight),
    fold,
  };
}

type Calibrations = Pick<Weights['calibration']['params'], 'without_payload' | 'with_payload'>;

/** What confidence means, for calls of each kind, corrected by the rankings. */
export function tunedCalibrations(rankings: readonly NewRanking[], before: Calibrations): Calibrations {
  const ofKind = (withPayload: boolean) => rankings.filter((ranking) => ranking.withPayload === withPayload);
  return {
    without_payload: tunedCalibration(ofKind(false), before.without_payload),
    with_payload: tunedCalibration(ofKind(true), before.with_payload),
  };
}

/** An answer with the log-odds that it would have of being right if it were new. */
export interface NewAnswer extends NewRanking {
  readonly logit: number;
}

/** The rankings, each under a calibration that was corrected by the other folds alone. */
export function newAnswers(rankings: readonly NewRanking[], before: Calibrations): NewAnswer[] {
  return [...new Set(rankings.map(({ fold }) => fold))].flatMap((fold) => {
    const others = rankings.filter((ranking) => ranking.fold !== fold);
    const calibrations = tunedCalibrations(others, before);
    return rankings
      .filter((ranking) => ranking.fold === fold)
      .map((ranking) => {
        const calibration = calibrations[ranking.withPayload ? 'with_payload' : 'without_payload'];
        return { ...ranking, logit: logitOf(calibration, ranking.inputs) };
      });
  });
}
