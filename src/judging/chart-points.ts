import { bins } from '../evaluation/calibration-error.js';
import { AT_THRESHOLD, shareOf } from '../evaluation/figures.js';
import { wilsonInterval } from '../evaluation/interval.js';
import type { AnswerPair } from './compare-answers.js';
import type { JudgedAnswer } from './judged-answers.js';
import type { ConfusedPair, ReliabilityBin, ThresholdPoint } from './tune-charts.js';

/** Thresholds from 0 to 1 by a fiftieth. */
const THRESHOLDS = Array.from({ length: 51 }, (_, step) => step / 50);
const MOST_PAIRS = 50;

export function thresholdPoints(answers: readonly JudgedAnswer[]): ThresholdPoint[] {
  return THRESHOLDS.map((threshold) => {
    const isSure = ({ confidence }: JudgedAnswer) => confidence >= threshold;
    return {
      threshold,
      precision: AT_THRESHOLD.precision(answers, isSure),
      coverage: AT_THRESHOLD.coverage(answers, isSure) ?? 0,
    };
  });
}

export function reliabilityBins(answers: readonly JudgedAnswer[]): ReliabilityBin[] {
  const sorted = answers.toSorted((a, b) => a.confidence - b.confidence);
  return bins(sorted.length).map(([start, end]) => {
    const some = sorted.slice(start, end);
    const right = some.filter((answer) => answer.right).length / some.length;
    const confidence = some.reduce((sum, answer) => sum + answer.confidence, 0) / some.length;
    const interval = wilsonInterval(right, some.length) ?? { low: 0, high: 1 };
    return { answers: some.length, confidence, right, interval };
  });
}

/** Share of the in-scope queries with a right one among the first `topK`. */
export function recallAt(answers: readonly JudgedAnswer[], topK: number): number | null {
  const inScope = answers.filter((answer) => answer.inScope);
  return shareOf(inScope, ({ place }) => place >= 0 && place < topK);
}

/** What a query was taken for instead; where nothing fits, only if it would be acted on. */
function confusionIn({ label, predicted, right, sure }: JudgedAnswer) {
  const [expected = null] = label.expected;
  if (right || predicted === null || (expected === null && !sure)) return undefined;
  return { expected, predicted };
}

export function confusedPairs(pairs: readonly AnswerPair[]): ConfusedPair[] {
  const counts = new Map<string, ConfusedPair>();
  for (const side of ['before', 'after'] as const) {
    for (const pair of pairs) {
      const confusion = confusionIn(pair[side]);
      if (confusion === undefined) continue;
      const key = JSON.stringify(confusion);
      const known = counts.get(key) ?? { ...confusion, before: 0, after: 0 };
      counts.set(key, { ...known, [side]: known[side] + 1 });
    }
  }
  const total = ({ before, after }: ConfusedPair) => before + after;
  return [...counts.values()].sort((a, b) => total(b) - total(a)).slice(0, MOST_PAIRS);
}
