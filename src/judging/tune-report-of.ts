import type { LabelSplit } from '../learning/label-split.js';
import type { LearnedWeights } from '../learning/tuned-weights.js';
import type { UsableLabels } from '../learning/usable-labels.js';
import type { Weights } from '../routing/weights.js';
import { changedQueries } from './changed-queries.js';
import { confusedPairs, reliabilityBins, thresholdPoints } from './chart-points.js';
import { type AnswerPair, comparedByCapability, comparedByLang, comparedPairs } from './compare-answers.js';
import { topKPoints } from './top-k-points.js';
import type { TuneCharts } from './tune-charts.js';
import { notesOf } from './tune-notes.js';
import type { TuneReport } from './tune-report.js';
import { judgementOf } from './tune-verdict.js';
import { weightsChange } from './weights-change.js';

/** All that a report is made of. */
export interface TuneRun extends Pick<TuneReport, 'catalogue' | 'model' | 'precision'> {
  readonly before: Weights;
  readonly after: Weights;
  readonly learned: LearnedWeights;
  readonly usable: UsableLabels;
  readonly split: LabelSplit;
  readonly pairs: readonly AnswerPair[];
  /** Rising, by how many candidates were asked for, in ms. */
  readonly latencies: ReadonlyMap<number, readonly number[]>;
}

function chartsOf({ pairs, latencies }: TuneRun): TuneCharts {
  const before = pairs.map((pair) => pair.before);
  const after = pairs.map((pair) => pair.after);
  return {
    thresholds: { before: thresholdPoints(before), after: thresholdPoints(after) },
    reliability: { before: reliabilityBins(before), after: reliabilityBins(after) },
    top_k: topKPoints(after, latencies),
    confusion: confusedPairs(pairs),
  };
}

const thresholdUnder =
  ({ thresholds }: Weights) =>
  (key: string) =>
    thresholds.by_capability[key] ?? thresholds.global;

/** What is told of a tuning. */
export function tuneReportOf(run: TuneRun): TuneReport {
  const { catalogue, model, precision, before, after, usable, split, pairs } = run;
  const weights = weightsChange(before, after);
  const all = comparedPairs(pairs, weights.threshold);
  const { labels, ...left_out } = usable;
  return {
    catalogue,
    model,
    weights_version: { before: before.version, after: after.version },
    precision,
    labels: {
      total: labels.length + left_out.contradicting + left_out.gone + left_out.repeated,
      learned_from: split.learned.length,
      judged_on: split.judged.length,
      left_out,
    },
    weights,
    ...judgementOf(all, labels.length),
    notes: notesOf(run),
    all,
    by_lang: comparedByLang(pairs, weights.threshold),
    by_capability: comparedByCapability(pairs, {
      before: thresholdUnder(before),
      after: thresholdUnder(after),
    }),
    queries: changedQueries(pairs),
    charts: chartsOf(run),
  };
}
