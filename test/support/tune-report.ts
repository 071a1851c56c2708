import type { Figures } from '../../src/evaluation/figures.js';
import type { ReliabilityBin, ThresholdPoint } from '../../src/judging/tune-charts.js';
import type { Compared, ComparedQuery, TuneReport } from '../../src/judging/tune-report.js';

function figures(top1: number, precision: number, coverage: number, threshold: number): Figures {
  return {
    queries: 240,
    in_scope: 210,
    out_of_scope: 30,
    top1,
    top5: 0.98,
    oos_auroc: 0.94,
    ece: (1 - top1) / 2,
    at_threshold: { threshold, precision, coverage, oos_rejected: 0.8 },
  };
}

const compared: Compared = {
  before: figures(0.86, 0.9, 0.71, 0.75),
  after: figures(0.92, 0.93, 0.8, 0.62),
  changes: {
    top1: { change: 0.06, low: 0.02, high: 0.1 },
    precision: { change: 0.03, low: -0.01, high: 0.07 },
    coverage: { change: 0.09, low: 0.05, high: 0.13 },
    oos_rejected: null,
    ece: { change: -0.03, low: -0.05, high: -0.01 },
  },
};

const HUNDREDTHS = Array.from({ length: 101 }, (_, place) => place / 100);
const overThreshold = (bend: number): ThresholdPoint[] =>
  HUNDREDTHS.map((threshold) => ({
    threshold,
    precision: threshold > 0.97 ? null : 0.7 + 0.29 * threshold ** bend,
    coverage: 1 - threshold ** (3 - bend),
  }));
const bins = (off: number): ReliabilityBin[] =>
  Array.from({ length: 10 }, (_, place) => {
    const confidence = (place + 0.5) / 10;
    const right = Math.max(0, confidence - off);
    return {
      answers: 24,
      confidence,
      right,
      interval: { low: Math.max(0, right - 0.12), high: Math.min(1, right + 0.12) },
    };
  });

const improved: ComparedQuery = {
  intent: '查一下我上个月的发票',
  lang: 'zh',
  expected: ['invoices-agent/find-invoices'],
  before: { predicted: 'orders-agent/list-orders', right: false, confidence: 0.81, sure: true },
  after: { predicted: 'invoices-agent/find-invoices', right: true, confidence: 0.77, sure: true },
};

/** A report as tuning writes one. */
export const tuneReport: TuneReport = {
  catalogue: { agents: 15, capabilities: 31 },
  model: 'multilingual-e5-small',
  weights_version: { before: 'defaults-1', after: 'tuned-0a1b2c3d' },
  precision: 0.9,
  labels: {
    total: 815,
    learned_from: 560,
    judged_on: 240,
    left_out: { contradicting: 8, gone: 4, repeated: 3 },
  },
  weights: {
    threshold: { before: 0.75, after: 0.62 },
    top_k: { before: 5, after: 8 },
    thresholds: { 'refunds-agent/request-refund': { before: null, after: 0.83 } },
    features: {
      views_centroid: {
        without_payload: { before: 40.1, after: 43.25 },
        with_payload: { before: 31, after: 31 },
      },
    },
  },
  verdict: 'better',
  verdict_reason: 'top-1 is up by 6.0 points, in 90 of 100 cases by 2.0 to 10.0.',
  refused: false,
  labels_more: null,
  notes: ['3 queries have no language.'],
  all: compared,
  by_lang: { en: compared, zh: compared },
  by_capability: {
    'invoices-agent/find-invoices': {
      queries: 40,
      before: { top1: 0.7, precision: 0.8, found: 0.6, threshold: 0.75 },
      after: { top1: 0.9, precision: 0.92, found: 0.85, threshold: 0.62 },
    },
    'refunds-agent/request-refund': {
      queries: 3,
      before: { top1: null, precision: null, found: null, threshold: 0.75 },
      after: { top1: 1, precision: 1, found: 1, threshold: 0.83 },
    },
  },
  queries: { better: [improved], worse: [] },
  charts: {
    thresholds: { before: overThreshold(1.4), after: overThreshold(0.8) },
    reliability: { before: bins(0.15), after: bins(0.01) },
    top_k: [1, 2, 3, 5, 8, 13, 21, 34, 64].map((top_k) => ({
      top_k,
      recall: 1 - 0.1 / top_k,
      latency_ms: { p50: 1 + 0.02 * top_k, p99: 2.4 + 0.08 * top_k },
    })),
    confusion: Array.from({ length: 14 }, (_, place) => ({
      expected: place === 1 ? null : 'invoices-agent/find-invoices',
      predicted: `orders-agent/list-orders-${place}`,
      before: 14 - place,
      after: place === 3 ? 12 : Math.max(0, 9 - place),
    })),
  },
};
