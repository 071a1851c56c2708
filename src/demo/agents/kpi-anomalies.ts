import { rounded, sumOf } from '../rows.js';

/** A value far from the others. `index` is its place in the series; the score is 0 for the median. */
export interface Anomaly {
  readonly index: number;
  readonly value: number;
  readonly score: number;
}

/**
 * Values whose modified z-score is beyond `limit` in either direction. The median and the median absolute
 * deviation stand in for mean and standard deviation, since the outliers themselves would inflate those;
 * where over half of the values are equal, the mean absolute deviation does.
 * Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993 (0.6745, 1.2533; limit 3.5).
 */
export function anomaliesIn(series: readonly number[], limit: number): readonly Anomaly[] {
  const middle = median(series);
  const deviations = series.map((value) => Math.abs(value - middle));
  const spread = median(deviations) / 0.6745 || 1.253314 * (sumOf(deviations) / series.length);
  if (spread === 0) return [];
  return series
    .map((value, index) => ({ index, value, score: rounded((value - middle) / spread) }))
    .filter(({ score }) => Math.abs(score) > limit);
}

/** The middle value, or the mean of the two middle ones; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
