import type { Interval } from '../evaluation/interval.js';

/** What would be if the threshold were this one, for all capabilities. */
export interface ThresholdPoint {
  readonly threshold: number;
  /** Share of right ones among the answers with at least this confidence; null: there is none. */
  readonly precision: number | null;
  /** Share of the queries that have it. */
  readonly coverage: number;
}

/** Answers of about the same confidence: how sure they were, and how many of them were right. */
export interface ReliabilityBin {
  readonly answers: number;
  /** Mean. */
  readonly confidence: number;
  /** Share. */
  readonly right: number;
  /** The 95 % interval of the share that are right. */
  readonly interval: Interval;
}

/** What looking at so many candidates finds and costs. */
export interface TopKPoint {
  readonly top_k: number;
  /** Share of the in-scope queries with a right one among so many; null: none is in scope. */
  readonly recall: number | null;
  /** Of the route, vectors known. */
  readonly latency_ms: { readonly p50: number; readonly p99: number };
}

/** A capability that is taken for another. */
export interface ConfusedPair {
  /** `agent_name/id`; null: nothing fits. */
  readonly expected: string | null;
  /** `agent_name/id`. */
  readonly predicted: string;
  /** Judged queries. */
  readonly before: number;
  readonly after: number;
}

/** What charts are drawn from, all of the queries that were judged on. */
export interface TuneCharts {
  /** Rising thresholds from 0 to 1. */
  readonly thresholds: {
    readonly before: readonly ThresholdPoint[];
    readonly after: readonly ThresholdPoint[];
  };
  /** At most ten bins of equal count, rising confidence. */
  readonly reliability: {
    readonly before: readonly ReliabilityBin[];
    readonly after: readonly ReliabilityBin[];
  };
  /** Under the weights after, rising. */
  readonly top_k: readonly TopKPoint[];
  /** The most frequent first, at most fifty. */
  readonly confusion: readonly ConfusedPair[];
}
