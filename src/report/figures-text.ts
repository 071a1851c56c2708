import type { Change } from '../judging/tune-report.js';

/** Not torn from its number at the end of a line. */
const PERCENT = '\u00a0%';
/** What stands in place of a figure that nothing is there to tell from. */
const NOTHING_TO_TELL = '–';

export function percent(share: number | null): string {
  return share === null ? NOTHING_TO_TELL : `${(100 * share).toFixed(1)}${PERCENT}`;
}

/** A whole percentage, as axes have it. */
export const roughPercent = (share: number): string => `${Math.round(100 * share)}${PERCENT}`;

/** A number without more digits than a person compares. */
export const compact = (value: number): string => String(Number(value.toPrecision(3)));

const signed = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;

/** A change in percentage points. */
export function points(change: Change | null): string {
  return change === null ? NOTHING_TO_TELL : signed(change.change);
}

/** Where a change lies in 90 of 100 cases, in percentage points. */
export function pointsRange(change: Change | null): string {
  return change === null ? NOTHING_TO_TELL : `${signed(change.low)} … ${signed(change.high)}`;
}
