import { expectedCalibrationError } from '../evaluation/calibration-error.js';
import { AT_THRESHOLD, figuresOf, shareOf, top1Of } from '../evaluation/figures.js';
import { groupedBy } from '../evaluation/grouped-by.js';
import { pairedBootstrap } from '../evaluation/paired-bootstrap.js';
import type { JudgedAnswer } from './judged-answers.js';
import {
  type CapabilityFigures,
  CHANGES,
  type Change,
  type ChangeName,
  type Compared,
  type ComparedCapability,
  type Step,
} from './tune-report.js';

/** The answers to one label under the weights before and after. */
export interface AnswerPair {
  readonly before: JudgedAnswer;
  readonly after: JudgedAnswer;
}

const isSure = ({ sure }: JudgedAnswer) => sure;

const FIGURES: Readonly<Record<ChangeName, (answers: readonly JudgedAnswer[]) => number | null>> = {
  top1: top1Of,
  precision: (answers) => AT_THRESHOLD.precision(answers, isSure),
  coverage: (answers) => AT_THRESHOLD.coverage(answers, isSure),
  oos_rejected: (answers) => AT_THRESHOLD.oos_rejected(answers, isSure),
  ece: expectedCalibrationError,
};

const before = (pairs: readonly AnswerPair[]) => pairs.map((pair) => pair.before);
const after = (pairs: readonly AnswerPair[]) => pairs.map((pair) => pair.after);

function changeOf(pairs: readonly AnswerPair[], name: ChangeName): Change | null {
  const figure = FIGURES[name];
  const interval = pairedBootstrap(pairs, (drawn) => {
    const [was, is] = [figure(before(drawn)), figure(after(drawn))];
    return was === null || is === null ? null : is - was;
  });
  return interval && { change: interval.value, low: interval.low, high: interval.high };
}

/** `thresholds`: the global ones; what counts for an answer may be that of its capability. */
export function comparedPairs(pairs: readonly AnswerPair[], thresholds: Step): Compared {
  return {
    before: figuresOf(before(pairs), thresholds.before, isSure),
    after: figuresOf(after(pairs), thresholds.after, isSure),
    changes: Object.fromEntries(CHANGES.map((name) => [name, changeOf(pairs, name)])) as Record<
      ChangeName,
      Change | null
    >,
  };
}

const byCount = <Item>(groups: ReadonlyMap<string, readonly Item[]>) =>
  [...groups].sort(([, a], [, b]) => b.length - a.length);

export function comparedByLang(
  pairs: readonly AnswerPair[],
  thresholds: Step,
): Readonly<Record<string, Compared>> {
  const groups = byCount(groupedBy(pairs, ({ before: { lang } }) => lang));
  return Object.fromEntries(groups.map(([lang, some]) => [lang, comparedPairs(some, thresholds)]));
}

function capabilityFigures(
  key: string,
  expecting: readonly JudgedAnswer[],
  naming: readonly JudgedAnswer[],
  thresholdOf: (key: string) => number,
): CapabilityFigures {
  return {
    top1: top1Of(expecting),
    precision: AT_THRESHOLD.precision(naming, isSure),
    found: shareOf(expecting, ({ right, sure }) => right && sure),
    threshold: thresholdOf(key),
  };
}

/** `thresholdOf`: what counts for a capability, by the weights alone. */
export function comparedByCapability(
  pairs: readonly AnswerPair[],
  thresholdOf: {
    readonly before: (key: string) => number;
    readonly after: (key: string) => number;
  },
): Readonly<Record<string, ComparedCapability>> {
  const expecting = groupedBy(
    pairs.flatMap((pair) => pair.before.label.expected.map((key) => ({ key, pair }))),
    ({ key }) => key,
  );
  const naming = {
    before: groupedBy(before(pairs), ({ predicted }) => predicted),
    after: groupedBy(after(pairs), ({ predicted }) => predicted),
  };
  const compared = byCount(expecting).map(([key, some]) => {
    const expected = some.map(({ pair }) => pair);
    const figures = (side: 'before' | 'after') =>
      capabilityFigures(
        key,
        expected.map((pair) => pair[side]),
        naming[side].get(key) ?? [],
        thresholdOf[side],
      );
    return [key, { queries: expected.length, before: figures('before'), after: figures('after') }] as const;
  });
  return Object.fromEntries(compared);
}
