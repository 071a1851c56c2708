import type { Change, Compared, Verdict } from './tune-report.js';

export interface Judgement {
  readonly verdict: Verdict;
  readonly verdict_reason: string;
  readonly refused: boolean;
  readonly labels_more: number | null;
}

/** So much worse may nothing be that is not seen to be worse. */
const TOLERATED = 0.05;
/** With fewer, none of which changed for the worse, more than the tolerated may do so all the same: 3 / n (the rule of three). */
const FEWEST = 60;

interface Watched {
  readonly name: string;
  readonly change: Change | null;
  /** The answers that it is told from. */
  readonly count: number;
}

/** A change as it is told. */
export const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
const told = ({ name, change }: Watched) =>
  change === null ? '' : `${name} ${signed(change.change)} (${signed(change.low)} to ${signed(change.high)})`;

/**
 * How many times as many judged answers it takes until the interval, which narrows with their square root, leaves out
 * what is not tolerated, if the change stays as it is.
 */
function timesAsMany({ change: seen, count }: Watched): number {
  if (seen === null || count === 0) return 1;
  const room = Math.max(TOLERATED + Math.min(0, seen.change), TOLERATED / 5);
  return Math.max(((seen.change - seen.low) / room) ** 2, FEWEST / count);
}

function watchedIn({ before, changes }: Compared): Watched[] {
  const sure = Math.round(before.queries * (before.at_threshold.coverage ?? 0));
  return [
    { name: 'top-1', change: changes.top1, count: before.in_scope },
    { name: 'precision', change: changes.precision, count: sure },
  ];
}

const GAINS = {
  top1: 'top-1',
  precision: 'precision',
  coverage: 'coverage',
  oos_rejected: 'out-of-scope queries rejected',
} as const;

function gainsIn({ changes }: Compared): string[] {
  const gains = Object.entries(GAINS).flatMap(([key, name]) => {
    const change = changes[key as keyof typeof GAINS];
    return change !== null && change.low > 0 ? [told({ name, change, count: 0 })] : [];
  });
  const { ece } = changes;
  if (ece !== null && ece.high < 0) gains.push(told({ name: 'calibration error', change: ece, count: 0 }));
  return gains;
}

/** What a comparison says of the weights after. `labels`: those that were learned from and judged on. */
export function judgementOf(all: Compared, labels: number): Judgement {
  const watched = watchedIn(all);
  const worse = watched.filter(({ change }) => change !== null && change.high < 0);
  const maybe = watched.filter(({ change }) => change !== null && change.low < -TOLERATED);
  const refused = worse.length + maybe.length > 0;
  if (worse.length > 0) {
    const verdict_reason = `Worse for sure: ${worse.map(told).join(', ')}.`;
    return { verdict: 'worse', verdict_reason, refused, labels_more: null };
  }
  const few = watched.filter(({ change, count }) => change !== null && count < FEWEST);
  const nothingToTell = watched.every(({ change }) => change === null);
  const gains = gainsIn(all);
  if (maybe.length === 0 && gains.length > 0 && few.length === 0)
    return {
      verdict: 'better',
      verdict_reason: `Better for sure: ${gains.join(', ')}.`,
      refused,
      labels_more: null,
    };
  if (maybe.length > 0 || few.length > 0 || nothingToTell) {
    const times = Math.max(
      nothingToTell ? FEWEST / Math.max(1, all.before.queries) : 1,
      ...watched.map(timesAsMany),
    );
    const labels_more = Math.max(1, Math.ceil(labels * (times - 1)));
    const seen = watched.filter(({ change }) => change !== null).map(told);
    const verdict_reason = `${all.before.queries} judged labels are too few to tell${seen.length > 0 ? `: ${seen.join(', ')}` : ''}. About ${labels_more} more would.`;
    return { verdict: 'too_small', verdict_reason, refused, labels_more };
  }
  return {
    verdict: 'same',
    verdict_reason: `No difference can be seen: ${watched
      .filter(({ change }) => change !== null)
      .map(told)
      .join(', ')}.`,
    refused,
    labels_more: null,
  };
}
