import type { Evaluation, EvaluationReport } from '../../src/evaluation/evaluation-report.js';
import { wilsonInterval } from '../../src/evaluation/interval.js';
import type { Figure } from './figure.js';
import type { LabelledSet } from './labelled-sets.js';

export const THRESHOLD = 0.75;

/** A set, and how its queries are put. */
export interface Asked {
  readonly set: LabelledSet;
  readonly payload: boolean;
}

export interface Measured extends Asked {
  readonly evaluation: Evaluation;
  /**
   * What the same features and confidence inputs come to under weights and calibration that were learned from this very
   * set: better learning alone hardly gets further.
   */
  readonly ceiling: EvaluationReport | undefined;
}

/** Goals by set: of top-1 with its payloads (where it has some), of top-1 without, and of the AUROC of what fits against what does not. */
const GOALS: Readonly<
  Record<string, { readonly top1?: number; readonly bare?: number; readonly auroc?: number }>
> = {
  clinc150: { bare: 0.92, auroc: 0.96 },
  banking77: { bare: 0.87 },
  massive_en: { top1: 0.79 },
  massive_zh: { top1: 0.77 },
  massive_en_openset: { auroc: 0.92 },
  massive_zh_openset: { auroc: 0.92 },
  homeassistant_en: { top1: 0.92 },
  homeassistant_zh: { top1: 0.93 },
  bfcl: { top1: 0.94, bare: 0.62 },
  acebench_en: { top1: 0.985, bare: 0.85 },
  acebench_zh: { top1: 0.985, bare: 0.8 },
  'massive_zh on massive_en': { top1: 0.74 },
};
const ECE_GOAL = { payload: 0.08, bare: 0.12 } as const;
const PRECISION_GOAL = 0.92;
const COVERAGE_GOAL = 0.65;

const share = { unit: '', better: 'higher' } as const;
const error = { unit: '', better: 'lower' } as const;

export function titleOf({ set: { name, hasPayloads }, payload }: Asked): string {
  return payload || !hasPayloads ? name : `${name}, without payload`;
}

/** The figures of a set, with what chance alone leaves open. */
export function figuresOf({ set, payload, evaluation, ceiling }: Measured): Figure[] {
  const { report, noise } = evaluation;
  const title = titleOf({ set, payload });
  const goals = GOALS[set.name] ?? {};
  const top1: Figure = {
    ...share,
    name: `${title}: top-1`,
    value: orNone(report.top1),
    goal: (payload ? goals.top1 : goals.bare) ?? null,
    ceiling: ceiling?.top1 ?? undefined,
    chance: wilsonInterval(orNone(report.top1), report.in_scope),
  };
  const auroc: Figure = {
    ...share,
    name: `${title}: out-of-scope AUROC`,
    value: orNone(report.oos_auroc),
    goal: payload || !set.hasPayloads ? (goals.auroc ?? null) : null,
    ceiling: ceiling?.oos_auroc ?? undefined,
  };
  const ece: Figure = {
    ...error,
    name: `${title}: calibration error`,
    value: orNone(report.ece),
    goal: null,
    chance: noise ?? undefined,
  };
  return report.oos_auroc === null ? [top1, ece] : [top1, auroc, ece];
}

const orNone = (figure: number | null) => figure ?? Number.NaN;

/** The figures of all sets together. */
export function worstAndMean(measured: readonly Measured[]): Figure[] {
  // Clinc and banking have no payloads at all: they count among both.
  const asked = measured.filter(({ set, payload }) => payload || !set.hasPayloads);
  const bare = measured.filter(({ payload }) => !payload);
  const worstError = (some: readonly Measured[]) =>
    Math.max(...some.map(({ evaluation }) => orNone(evaluation.report.ece)));
  const reports = asked.map(({ evaluation }) => evaluation.report);
  const ceilings = asked.flatMap(({ ceiling }) => ceiling ?? []);
  return [
    {
      ...error,
      name: 'calibration error, worst set with payload',
      value: worstError(asked),
      goal: ECE_GOAL.payload,
    },
    {
      ...error,
      name: 'calibration error, worst set without payload',
      value: worstError(bare),
      goal: ECE_GOAL.bare,
    },
    {
      ...share,
      name: `precision at ${THRESHOLD}, worst set`,
      value: worstPrecision(reports),
      goal: PRECISION_GOAL,
      ceiling: worstPrecision(ceilings),
    },
    {
      ...share,
      name: `coverage at ${THRESHOLD}, mean of the sets`,
      value: meanCoverage(reports),
      goal: COVERAGE_GOAL,
      ceiling: meanCoverage(ceilings),
    },
  ];
}

function worstPrecision(reports: readonly EvaluationReport[]): number {
  return Math.min(...reports.flatMap(({ at_threshold: { precision } }) => precision ?? []));
}

function meanCoverage(reports: readonly EvaluationReport[]): number {
  const coverages = reports.map(({ at_threshold: { coverage } }) => orNone(coverage));
  return coverages.reduce((sum, coverage) => sum + coverage, 0) / coverages.length;
}
