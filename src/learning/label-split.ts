import { hash } from 'node:crypto';
import { groupedBy } from '../evaluation/grouped-by.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { nearDuplicates } from '../evaluation/near-duplicates.js';

/** Labels to learn from, and others to judge on what was learned. */
export interface LabelSplit {
  readonly learned: readonly LabelledQuery[];
  readonly judged: readonly LabelledQuery[];
}

/** Labels whose intents say nearly the same: nobody may learn from one and be judged on another. */
interface Cluster {
  readonly labels: readonly LabelledQuery[];
  readonly lang: string;
  /** What its first label expects. */
  readonly capability: string;
  /** Places it among others, wherever it stands in its file. */
  readonly order: string;
}

const NOTHING_FITS = '';
/** The golden ratio's share: its multiples are spread most evenly over 0..1. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

function clusterOf(labels: readonly LabelledQuery[]): Cluster {
  const [first, ...others] = labels.map((label) => ({
    label,
    order: hash('sha256', JSON.stringify([label.intent, label.payload, label.expected])),
  }));
  if (first === undefined) return { labels, lang: '', capability: NOTHING_FITS, order: '' };
  const least = others.reduce((so, each) => (each.order < so.order ? each : so), first);
  const { lang, expected } = least.label;
  return { labels, lang, capability: expected[0] ?? NOTHING_FITS, order: least.order };
}

/** Sorted by their content, so that nothing depends on where labels stand in their files. */
function clustersOf(labels: readonly LabelledQuery[]): Cluster[] {
  const several = nearDuplicates(labels.map(({ intent }) => intent));
  const inSeveral = new Set(several.flat());
  const single = [...labels.keys()].filter((place) => !inSeveral.has(place)).map((place) => [place]);
  const compared = (a: Cluster, b: Cluster) => (a.order < b.order ? -1 : 1);
  return [...several, ...single]
    .map((places) => clusterOf(places.flatMap((place) => labels[place] ?? [])))
    .sort(compared);
}

/**
 * Sets a share of the labels apart to judge on: clusters as a whole, of each capability and of what is out of scope its
 * share, though at least one and not all wherever there are two. The same labels are split in the same way in every run.
 */
export function splitLabels(labels: readonly LabelledQuery[], holdout: number): LabelSplit {
  const learned: LabelledQuery[] = [];
  const judged: LabelledQuery[] = [];
  let wanted = 0;
  let held = 0;
  // The few have the least choice; what they take too much of, those with many make up for.
  const strata = [...groupedBy(clustersOf(labels), ({ capability }) => capability).values()].sort(
    (a, b) => a.length - b.length,
  );
  for (const [number, stratum] of strata.entries()) {
    wanted += holdout * stratum.length;
    const { length } = stratum;
    const [least, most] = length === 1 ? [0, 1] : [1, length - 1];
    const count = Math.min(most, Math.max(least, Math.round(wanted - held)));
    held += count;
    const sorted = stratum.toSorted((a, b) => (a.lang < b.lang ? -1 : a.lang > b.lang ? 1 : 0));
    for (const [place, cluster] of sorted.entries()) {
      // Spread evenly, so that each language has its share; and not from the same place on in all capabilities, which
      // may have one label of each.
      const heldUpTo = (end: number) => Math.floor((end * count) / length + ((number * GOLDEN) % 1));
      const isHeld = heldUpTo(place + 1) > heldUpTo(place);
      (isHeld ? judged : learned).push(...cluster.labels);
    }
  }
  return { learned, judged };
}

/** Parts of about equal size, clusters as a whole and what is expected spread over them: for each label its part, from 0. */
export function foldsOf(labels: readonly LabelledQuery[], folds: number): ReadonlyMap<LabelledQuery, number> {
  const byCapability = clustersOf(labels).sort((a, b) => (a.capability < b.capability ? -1 : 1));
  return new Map(
    byCapability.flatMap((cluster, place) => cluster.labels.map((label) => [label, place % folds] as const)),
  );
}
