import type { CapabilityNames } from '../evaluation/capability-names.js';
import { groupedBy } from '../evaluation/grouped-by.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { foldText } from '../retrieval/fold.js';
import { shapeOf } from '../routing/features.js';

/** Labels that can be learned from and judged on, and how many cannot. `expected` holds `agent_name/id`s only. */
export interface UsableLabels {
  readonly labels: readonly LabelledQuery[];
  /** The same was asked, and no capability is right by all of them. */
  readonly contradicting: number;
  /** They name only capabilities that the catalogue lacks. */
  readonly gone: number;
  /** They say what an earlier one says. */
  readonly repeated: number;
}

/** What routing sees of a query: all that it can tell it from another by. */
function askedBy({ intent, payload }: LabelledQuery): string {
  return JSON.stringify([foldText(intent), [...(shapeOf(payload) ?? [])].sort()]);
}

/** What all of some lists have. */
function common(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((item) => others.every((list) => list.includes(item)));
}

/** Sorts out what nothing can be learned from. Labels of the same query become one, with what all of them call right. */
export function usableLabels(queries: readonly LabelledQuery[], names: CapabilityNames): UsableLabels {
  const known = queries
    .map((query) => ({ query, expected: query.expected.flatMap((label) => names.keysOf(label)) }))
    .filter(({ query, expected }) => expected.length > 0 || query.expected.length === 0)
    .map(({ query, expected }) => ({ ...query, expected }));
  const labels: LabelledQuery[] = [];
  let contradicting = 0;
  for (const same of groupedBy(known, askedBy).values()) {
    const expected = common(same.map((label) => label.expected));
    const nothingFits = same.every((label) => label.expected.length === 0);
    const [first] = same;
    if (first === undefined || (expected.length === 0 && !nothingFits)) contradicting += same.length;
    else labels.push({ ...first, expected });
  }
  return {
    labels,
    contradicting,
    gone: queries.length - known.length,
    repeated: known.length - contradicting - labels.length,
  };
}
