import { groupedBy } from '../evaluation/grouped-by.js';
import { wilsonInterval } from '../evaluation/interval.js';

/** An answer with the confidence that it would have under weights that were learned without it. */
export interface NewAnswer {
  readonly confidence: number;
  readonly right: boolean;
  /** `agent_name/id` of the best candidate. */
  readonly predicted: string;
}

/** With fewer answers no threshold is told from another. */
export const FEWEST_ANSWERS = 50;
/** With fewer answers that name it, a capability has no threshold of its own. */
const FEWEST_OF_CAPABILITY = 20;

/**
 * The least threshold at which the precision can be expected on what is new: the lower end of the 95 % interval of the
 * share that are right reaches it. Undefined where it does nowhere.
 */
export function leastThreshold(answers: readonly NewAnswer[], precision: number): number | undefined {
  const sorted = answers.toSorted((a, b) => b.confidence - a.confidence);
  let right = 0;
  let least: number | undefined;
  for (const [place, answer] of sorted.entries()) {
    if (answer.right) right += 1;
    const count = place + 1;
    const isLastOfEqual = sorted[count]?.confidence !== answer.confidence;
    const expected = wilsonInterval(right / count, count)?.low ?? 0;
    if (isLastOfEqual && expected >= precision) least = answer.confidence;
  }
  return least;
}
