import type { Figures } from '../evaluation/figures.js';
import type { TuneCharts } from './tune-charts.js';

/** What became of the labels that were given. */
export interface TunedLabels {
  readonly total: number;
  readonly learned_from: number;
  readonly judged_on: number;
  readonly left_out: {
    /** The same intent and payload fields, and no capability that all of them call right. */
    readonly contradicting: number;
    /** They name only capabilities that the catalogue lacks. */
    readonly gone: number;
    /** They say what an earlier one says. */
    readonly repeated: number;
  };
}

/** What is told of a change from the weights before to those after. */
export const CHANGES = ['top1', 'precision', 'coverage', 'oos_rejected', 'ece'] as const;
export type ChangeName = (typeof CHANGES)[number];

/** A figure by the name that its change has. */
export function figureOf(figures: Figures, name: ChangeName): number | null {
  return name === 'top1' || name === 'ece' ? figures[name] : figures.at_threshold[name];
}

/** After minus before, with the 90 % interval of the paired bootstrap. */
export interface Change {
  readonly change: number;
  readonly low: number;
  readonly high: number;
}

/** The same queries under the weights before and after. */
export interface Compared {
  readonly before: Figures;
  readonly after: Figures;
  /** Null: there is nothing to tell it from. */
  readonly changes: Readonly<Record<ChangeName, Change | null>>;
}

/** How a capability fares: the queries that expect it, and the answers that name it. */
export interface CapabilityFigures {
  /** Share of the queries that expect it whose best candidate is right. */
  readonly top1: number | null;
  /** Share of right ones among the answers with at least the threshold that name it. */
  readonly precision: number | null;
  /** Share of the queries that expect it and are answered right with at least the threshold. */
  readonly found: number | null;
  readonly threshold: number;
}

export interface ComparedCapability {
  /** Judged queries that expect it. */
  readonly queries: number;
  readonly before: CapabilityFigures;
  readonly after: CapabilityFigures;
}

/** One answer to a query. */
export interface QueryAnswer {
  /** `agent_name/id` of the best candidate; null: there is none. */
  readonly predicted: string | null;
  readonly right: boolean;
  readonly confidence: number;
  /** Whether the confidence reaches the threshold that counts for it. */
  readonly sure: boolean;
}

export interface ComparedQuery {
  readonly intent: string;
  readonly lang: string;
  /** Empty: nothing fits. */
  readonly expected: readonly string[];
  readonly before: QueryAnswer;
  readonly after: QueryAnswer;
}

/**
 * `worse`: top-1 or precision is down for sure (its interval lies wholly under 0). `better`: a figure is better for sure
 * and none of the two may be down by more than 0.05. `same`: neither. `too_small`: too few labels were judged on to tell.
 */
export type Verdict = 'better' | 'worse' | 'too_small' | 'same';

/** One number of the weights, before and after. */
export interface Step {
  readonly before: number;
  readonly after: number;
}

/** What differs between the weights. */
export interface WeightsChange {
  readonly threshold: Step;
  readonly top_k: Step;
  /** Thresholds of single capabilities, by `agent_name/id`; null: it has none of its own. */
  readonly thresholds: Readonly<
    Record<string, { readonly before: number | null; readonly after: number | null }>
  >;
  /** What each signal counts, by name. */
  readonly features: Readonly<
    Record<string, { readonly without_payload: Step; readonly with_payload: Step }>
  >;
}

/** What tuning learned and how it was judged, as it is written. Shares are 0..1; `null`: nothing to tell it from. */
export interface TuneReport {
  readonly catalogue: { readonly agents: number; readonly capabilities: number };
  readonly model: string;
  readonly weights_version: { readonly before: string; readonly after: string };
  /** The precision that was asked for, 0..1. */
  readonly precision: number;
  readonly labels: TunedLabels;
  readonly weights: WeightsChange;
  readonly verdict: Verdict;
  /** Why, in a sentence. */
  readonly verdict_reason: string;
  /**
   * Whether the weights are refused unless they are forced: the change of top-1 or of precision lies wholly under 0, or
   * its lower end under -0.05.
   */
  readonly refused: boolean;
  /** About so many labels more would tell; null: it can be told. */
  readonly labels_more: number | null;
  /** What stands in the way of a conclusion, or was left as it was, a sentence each. */
  readonly notes: readonly string[];
  readonly all: Compared;
  /** The most frequent language first. */
  readonly by_lang: Readonly<Record<string, Compared>>;
  /** By `agent_name/id`, those with the most queries first. */
  readonly by_capability: Readonly<Record<string, ComparedCapability>>;
  /** At most ten each, the greatest change first. */
  readonly queries: { readonly better: readonly ComparedQuery[]; readonly worse: readonly ComparedQuery[] };
  readonly charts: TuneCharts;
}
