import { type JudgedReach, requestOf } from '../evaluation/judge.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { percentile } from '../evaluation/percentile.js';
import { ASKING } from '../learning/seen-labels.js';
import { LIMITS } from '../wire/limits.js';
import { recallAt } from './chart-points.js';
import type { JudgedAnswer } from './judged-answers.js';
import type { TopKPoint } from './tune-charts.js';

/** A decision never takes notice of fewer groups than it may offer: fewer candidates cost the same. */
const LEAST_COST = 5;
const TOP_KS = [1, 2, 3, LEAST_COST, 10, 20, LIMITS.topK] as const;
/** So many routes tell how long one takes. */
const TIMED = 50;

/** How long routes take by how many candidates are asked for; of labels that have just been asked for, so that their vectors are known. */
export async function latenciesByTopK(
  labels: readonly LabelledQuery[],
  reach: Pick<JudgedReach, 'route'>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const latencies = new Map<number, number[]>();
  for (const topK of TOP_KS.filter((each) => each >= LEAST_COST)) {
    const times: number[] = [];
    for (const label of labels.slice(0, TIMED)) {
      const { timingMs } = await reach.route(requestOf(label, { ...ASKING, topK }));
      times.push(timingMs.total);
    }
    latencies.set(
      topK,
      times.sort((a, b) => a - b),
    );
  }
  return latencies;
}

export function topKPoints(
  answers: readonly JudgedAnswer[],
  latencies: ReadonlyMap<number, readonly number[]>,
): TopKPoint[] {
  if (answers.length === 0) return [];
  return TOP_KS.map((topK) => {
    const times = latencies.get(Math.max(topK, LEAST_COST)) ?? [];
    return {
      top_k: topK,
      recall: recallAt(answers, topK),
      latency_ms: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
    };
  });
}
