import { calibrationNoise, expectedCalibrationError } from '../../src/evaluation/calibration-error.js';
import { wilsonInterval } from '../../src/evaluation/interval.js';
import type { JudgedTuning } from '../../src/judging/tune.js';
import { bandCeiling } from './band-ceiling.js';
import type { Figure } from './figure.js';
import { type Asked, titleOf } from './quality-figures.js';

export interface TunedSet {
  readonly asked: Asked;
  readonly tuned: JudgedTuning;
}

const POOLED_GOAL = 0.04;
const error = { unit: '', better: 'lower' } as const;
const share = { unit: '', better: 'higher' } as const;
const orNone = (figure: number | null) => figure ?? Number.NaN;

const answersAfter = ({ tuned }: TunedSet) => tuned.pairs.map(({ after }) => after);
const answersBefore = ({ tuned }: TunedSet) => tuned.pairs.map(({ before }) => before);
const noiseOf = (set: TunedSet) => calibrationNoise(answersAfter(set).map(({ confidence }) => confidence));

/** The figures of a set: whether its calibration error is what chance alone makes of it, and the precision it was tuned for. */
export function figuresOfSet(set: TunedSet): Figure[] {
  const { report } = set.tuned;
  const title = titleOf(set.asked);
  const { after } = report.all;
  const noise = noiseOf(set);
  const precision = orNone(after.at_threshold.precision);
  const sure = answersAfter(set).filter((answer) => answer.sure).length;
  return [
    {
      ...error,
      name: `${title}: calibration error`,
      value: orNone(after.ece),
      goal: noise?.high ?? null,
      chance: noise ?? undefined,
    },
    {
      ...share,
      name: `${title}: precision at the chosen threshold`,
      value: precision,
      // Where nothing is acted on, nothing that is acted on is wrong.
      goal: sure === 0 ? null : report.precision,
      chance: wilsonInterval(precision, sure),
    },
  ];
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The figures of all sets together. */
export function figuresOfAll(sets: readonly TunedSet[]): Figure[] {
  const reports = sets.map(({ tuned }) => tuned.report);
  const inBand = sets.filter((set) => orNone(set.tuned.report.all.after.ece) <= (noiseOf(set)?.high ?? 0));
  const sure = sets.flatMap(answersAfter).filter((answer) => answer.sure);
  return [
    {
      ...error,
      name: 'calibration error, all sets pooled',
      value: orNone(expectedCalibrationError(sets.flatMap(answersAfter))),
      goal: POOLED_GOAL,
    },
    {
      ...error,
      name: 'calibration error, all sets pooled, before tuning',
      value: orNone(expectedCalibrationError(sets.flatMap(answersBefore))),
      goal: null,
    },
    {
      ...error,
      name: 'calibration error, mean of the sets',
      value: mean(reports.map(({ all }) => orNone(all.after.ece))),
      goal: null,
      ceiling: mean(sets.map((set) => noiseOf(set)?.mean ?? 0)),
    },
    {
      ...error,
      name: 'calibration error, mean of the sets, before tuning',
      value: mean(reports.map(({ all }) => orNone(all.before.ece))),
      goal: null,
    },
    {
      ...share,
      name: 'share of the sets within their noise band',
      value: inBand.length / sets.length,
      goal: 1,
      ceiling: mean(
        sets.map((set) =>
          bandCeiling(
            answersAfter(set).map(({ confidence }) => confidence),
            set.tuned.report.labels.learned_from,
          ),
        ),
      ),
    },
    {
      ...share,
      name: 'precision at the chosen thresholds, all sets pooled',
      value: sure.filter(({ right }) => right).length / sure.length,
      goal: reports[0]?.precision ?? null,
    },
    {
      ...share,
      name: 'coverage at the chosen thresholds, mean of the sets',
      value: mean(reports.map(({ all }) => orNone(all.after.at_threshold.coverage))),
      goal: null,
    },
    {
      ...share,
      name: 'change of top-1, mean of the sets',
      value: mean(reports.map(({ all }) => all.changes.top1?.change ?? 0)),
      goal: null,
    },
  ];
}
