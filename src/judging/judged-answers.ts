import type { CapabilityNames } from '../evaluation/capability-names.js';
import type { Mark } from '../evaluation/figures.js';
import { isExpected, type JudgedReach, judgeQueries } from '../evaluation/judge.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { ASKING } from '../learning/seen-labels.js';
import { capabilityKey } from '../wire/capability-key.js';

/** The answer to a label, with what became of it. */
export interface JudgedAnswer extends Mark {
  readonly label: LabelledQuery;
  /** `agent_name/id` of the best candidate; null: there is none. */
  readonly predicted: string | null;
  /** Whether the confidence reaches the threshold that counts for it. */
  readonly sure: boolean;
  /** Where the first right candidate stands, from 0; -1: nowhere. */
  readonly place: number;
}

/** Asks for each label as a caller would, with all candidates that a search finds. @throws ReachError as `Reach.route` */
export async function judgedAnswers(
  labels: readonly LabelledQuery[],
  reach: Pick<JudgedReach, 'route'>,
  names: CapabilityNames,
  onJudged: () => void,
): Promise<JudgedAnswer[]> {
  const answers: JudgedAnswer[] = [];
  for await (const { query, decision, mark } of judgeQueries(labels, reach, names, ASKING)) {
    const { candidates, threshold } = decision;
    const [best] = candidates;
    answers.push({
      ...mark,
      label: query,
      predicted: best === undefined ? null : capabilityKey(best.agentName, best.capabilityId),
      sure: best !== undefined && mark.confidence >= threshold,
      place: candidates.findIndex((candidate) => isExpected(candidate, query, names)),
    });
    onJudged();
  }
  return answers;
}
