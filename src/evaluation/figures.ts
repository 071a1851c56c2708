import { auroc } from './auroc.js';
import { expectedCalibrationError } from './calibration-error.js';

/** What became of one query, as far as figures are made of it. */
export interface Mark {
  readonly inScope: boolean;
  /** The best capability is one of the expected ones; never where nothing fits. */
  readonly right: boolean;
  /** One of the first five is. */
  readonly rightInFive: boolean;
  /** Of the best capability, whatever the threshold. */
  readonly confidence: number;
  readonly lang: string;
  /** The whole of route(), in ms. */
  readonly latencyMs: number;
}

/** Figures of a set or of one of its languages, as they are written. Null: there is nothing to tell it from. */
export interface Figures {
  readonly queries: number;
  readonly in_scope: number;
  readonly out_of_scope: number;
  /** Share of the in-scope queries. */
  readonly top1: number | null;
  readonly top5: number | null;
  /** Area under the ROC curve of the confidence, in scope against not. */
  readonly oos_auroc: number | null;
  /** Expected calibration error of all queries; an answer to one that is out of scope is wrong. */
  readonly ece: number | null;
  readonly at_threshold: {
    readonly threshold: number;
    /** Share of right ones among all with at least this confidence. */
    readonly precision: number | null;
    /** Share of all queries that have it. */
    readonly coverage: number | null;
    /** Share of the out-of-scope queries that do not. */
    readonly oos_rejected: number | null;
  };
}

/** Null where there are none. */
export function shareOf<T>(items: readonly T[], holds: (item: T) => boolean): number | null {
  return items.length === 0 ? null : items.filter(holds).length / items.length;
}

const confidences = (marks: readonly Mark[]) => marks.map(({ confidence }) => confidence);
const isRight = ({ right }: Mark) => right;

/** Figures that depend on which answers are sure, each as it is defined in `Figures`. */
export const AT_THRESHOLD = {
  precision: <M extends Mark>(marks: readonly M[], isSure: (mark: M) => boolean) =>
    shareOf(marks.filter(isSure), isRight),
  coverage: <M extends Mark>(marks: readonly M[], isSure: (mark: M) => boolean) => shareOf(marks, isSure),
  oos_rejected: <M extends Mark>(marks: readonly M[], isSure: (mark: M) => boolean) =>
    shareOf(
      marks.filter(({ inScope }) => !inScope),
      (mark) => !isSure(mark),
    ),
} as const;

export function top1Of(marks: readonly Mark[]): number | null {
  return shareOf(
    marks.filter(({ inScope }) => inScope),
    isRight,
  );
}

/** `isSure`: whether an answer reaches what counts for it, where that is not the threshold. */
export function figuresOf<M extends Mark>(
  marks: readonly M[],
  threshold: number,
  isSure: (mark: M) => boolean = ({ confidence }) => confidence >= threshold,
): Figures {
  const inScope = marks.filter((mark) => mark.inScope);
  const outOfScope = marks.filter((mark) => !mark.inScope);
  return {
    queries: marks.length,
    in_scope: inScope.length,
    out_of_scope: outOfScope.length,
    top1: top1Of(marks),
    top5: shareOf(inScope, ({ rightInFive }) => rightInFive),
    oos_auroc: auroc(confidences(inScope), confidences(outOfScope)),
    ece: expectedCalibrationError(marks),
    at_threshold: {
      threshold,
      precision: AT_THRESHOLD.precision(marks, isSure),
      coverage: AT_THRESHOLD.coverage(marks, isSure),
      oos_rejected: AT_THRESHOLD.oos_rejected(marks, isSure),
    },
  };
}
