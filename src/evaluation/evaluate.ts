import { ReachError } from '../errors.js';
import type { Decision } from '../wire/route.js';
import type { CapabilityNames } from './capability-names.js';
import { type Evaluation, evaluationOf } from './evaluation-report.js';
import type { Mark } from './figures.js';
import { type Asking, type JudgedQuery, type JudgedReach, judgeQueries, requestOf } from './judge.js';
import type { LabelledQuery } from './labelled-query.js';
import { WorstQueries } from './worst-queries.js';

/** A set of queries, and how they are put. */
export interface EvaluatedSet {
  readonly set: string;
  readonly queries: AsyncIterable<LabelledQuery>;
  /** Of the published catalogue. */
  readonly names: CapabilityNames;
  readonly asking: Asking;
  /** How many of the worst answers are explained. */
  readonly worst: number;
}

/** One of the worst answers, with the decision once more and its reasons. */
export interface ExplainedQuery {
  readonly judged: JudgedQuery;
  readonly decision: Decision;
}

export interface EvaluatedQueries {
  readonly evaluation: Evaluation;
  readonly worst: readonly ExplainedQuery[];
}

/**
 * Puts every query to a catalogue that is published, and sums up how right the answers were. `onJudged` is told of
 * each answer, in order, and waited for.
 * @throws ReachError as `Reach.route`, and INVALID_REQUEST where there are no queries
 */
export async function evaluate(
  reach: JudgedReach,
  { set, queries, names, asking, worst: most }: EvaluatedSet,
  onJudged: (judged: JudgedQuery) => Promise<void> = async () => {},
): Promise<EvaluatedQueries> {
  const marks: Mark[] = [];
  const worst = new WorstQueries(most);
  let last: JudgedQuery | undefined;
  for await (const judged of judgeQueries(queries, reach, names, asking)) {
    marks.push(judged.mark);
    worst.add(judged);
    last = judged;
    await onJudged(judged);
  }
  if (last === undefined) throw new ReachError('INVALID_REQUEST', 'There are no queries to evaluate.');
  const { model, weightsVersion } = last.decision;
  const threshold = asking.threshold ?? reach.threshold;
  const about = { set, capabilities: names.size, threshold, model, weightsVersion };
  const explained: ExplainedQuery[] = [];
  for (const judged of worst.all) {
    const decision = await reach.route({ ...requestOf(judged.query, asking), explain: true });
    explained.push({ judged, decision });
  }
  return { evaluation: evaluationOf(marks, about), worst: explained };
}
