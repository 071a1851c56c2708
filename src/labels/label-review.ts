import type { Clock } from '../clock.js';
import type { CapabilityNames } from '../evaluation/capability-names.js';
import { canonicalDigest } from '../manifest/canonical-json.js';
import type { LabelReview } from '../wire/labels.js';
import { askedKey, labelAt } from './label.js';
import { nearDuplicatesBeside } from './near-duplicates-beside.js';
import type { StoredLabel } from './stored-label.js';

/** What is told of each kind, and of each group: more is for nobody to read. */
const TOLD_GROUPS = 100;
const TOLD_LABELS = 10;
const TOLD_CHARS = 1_000;

/** Of each intent so much is compared. */
const COMPARED_CHARS = 200;
const COMPARING_MS = 20_000;

type Group = LabelReview['contradictions'][number];

/** What of a label is looked at while all are read: the texts themselves may not fit. */
interface Seen {
  readonly labelId: string;
  readonly text: string;
  readonly asked: string;
  readonly expected: string;
}

/** Labels by what they have in common, the first groups of many, and of each group the newest labels. */
class Groups {
  readonly leftOut: number;
  readonly #groups: ReadonlyMap<string, Group>;

  constructor(keys: readonly string[]) {
    this.#groups = new Map(keys.slice(0, TOLD_GROUPS).map((key) => [key, { count: 0, labels: [] }]));
    this.leftOut = keys.length - this.#groups.size;
  }

  add(key: string | undefined, label: StoredLabel): void {
    const group = key === undefined ? undefined : this.#groups.get(key);
    if (group === undefined) return;
    const { routeId: _, ...told } = labelAt(label);
    group.count += 1;
    group.labels.push({ ...told, intent: label.intent.slice(0, TOLD_CHARS) });
    if (group.labels.length > TOLD_LABELS) group.labels.shift();
  }

  /** Without those of which all labels have been removed meanwhile. */
  told(): [key: string, Group][] {
    return [...this.#groups].filter(([, { count }]) => count > 0);
  }
}

const isSeveral = (values: readonly string[]) => new Set(values).size > 1;

/** The keys of what is asked and answered in more than one way. */
function contradictedIn(seen: readonly Seen[]): string[] {
  const answers = new Map<string, string>();
  const contradicted = new Set<string>();
  for (const { asked, expected } of seen) {
    const before = answers.get(asked) ?? expected;
    answers.set(asked, before);
    if (before !== expected) contradicted.add(asked);
  }
  return [...contradicted];
}

/** Clusters of different intents that are nearly the same, those first that disagree; null: they could not be found in time. */
async function closeIn(
  seen: readonly Seen[],
  clock: Clock,
  end: AbortSignal,
): Promise<readonly (readonly Seen[])[] | null> {
  const texts = seen.map(({ text }) => text);
  const clusters = await nearDuplicatesBeside(texts, COMPARING_MS, clock, end);
  if (clusters === null) return null;
  const close = clusters
    .map((places) => places.flatMap((place) => seen[place] ?? []))
    .filter((labels) => isSeveral(labels.map(({ asked }) => asked)));
  const disagree = (labels: readonly Seen[]) => Number(isSeveral(labels.map(({ expected }) => expected)));
  return close.toSorted((one, other) => disagree(other) - disagree(one));
}

/**
 * What a person should look at among all labels, which are read twice: first for what they have in common, then for
 * what is told. `names`: the capabilities of the catalogue.
 * @throws the reason of `end`, and as `labels`
 */
export async function reviewOf(
  labels: () => AsyncIterable<StoredLabel>,
  names: CapabilityNames,
  clock: Clock,
  end: AbortSignal,
): Promise<LabelReview> {
  const seen: Seen[] = [];
  const goneKeys = new Set<string>();
  for await (const label of labels()) {
    end.throwIfAborted();
    const { labelId, intent, expected } = label;
    const text = intent.slice(0, COMPARED_CHARS);
    seen.push({ labelId, text, asked: askedKey(label), expected: canonicalDigest(expected) });
    for (const key of expected) if (!names.has(key)) goneKeys.add(key);
  }
  const clusters = await closeIn(seen, clock, end);
  const clusterOf = new Map(
    clusters?.flatMap((each, place) => each.map(({ labelId }) => [labelId, String(place)])),
  );

  const contradictions = new Groups(contradictedIn(seen));
  const close = new Groups((clusters ?? []).map((_, place) => String(place)));
  const gone = new Groups([...goneKeys]);
  for await (const label of labels()) {
    end.throwIfAborted();
    contradictions.add(askedKey(label), label);
    close.add(clusterOf.get(label.labelId), label);
    for (const key of label.expected) gone.add(key, label);
  }
  return {
    labels: seen.length,
    contradictions: contradictions.told().map(([, group]) => group),
    nearDuplicates: clusters && close.told().map(([, group]) => group),
    gone: gone.told().map(([capability, group]) => ({ capability, ...group })),
    leftOut: {
      contradictions: contradictions.leftOut,
      nearDuplicates: close.leftOut,
      gone: gone.leftOut,
    },
  };
}
