import type { LabelledQuery } from '../evaluation/labelled-query.js';
import type { LabelSplit } from '../learning/label-split.js';
import { FEWEST_LABELS, type LearnedWeights } from '../learning/tuned-weights.js';
import type { UsableLabels } from '../learning/usable-labels.js';

const labels = (count: number) => `${count} ${count === 1 ? 'label' : 'labels'}`;
const areLeftOut = (count: number) => (count === 1 ? 'is left out' : 'are left out');

function onLeftOut({ contradicting, gone, repeated }: UsableLabels): string[] {
  return [
    ...(contradicting > 0
      ? [
          `${labels(contradicting)} ${areLeftOut(contradicting)}: others of the same intent and fields say something else (\`labels review\` shows them).`,
        ]
      : []),
    ...(gone > 0
      ? [`${labels(gone)} ${areLeftOut(gone)}: the catalogue lacks the capabilities that they name.`]
      : []),
    ...(repeated > 0 ? [`${labels(repeated)} ${areLeftOut(repeated)}: they repeat another.`] : []),
  ];
}

function onSize({ learned }: LabelSplit): string[] {
  if (learned.length >= FEWEST_LABELS) return [];
  return [
    `${labels(learned.length)} to learn from ${learned.length === 1 ? 'is' : 'are'} few: what features count and what confidence means hardly change, and thresholds and top_k stay (they need ${FEWEST_LABELS}).`,
  ];
}

function onScope(usable: readonly LabelledQuery[]): string[] {
  const inScope = usable.filter(({ expected }) => expected.length > 0);
  if (inScope.length === 0) {
    return [
      'No label names a capability: what features count stays as it is, and whether the right one is found cannot be told.',
    ];
  }
  if (inScope.length === usable.length) {
    return [
      'No label is out of scope (an empty `expected`): how well it abstains where nothing fits can neither be learned nor told.',
    ];
  }
  return [];
}

function onCapabilities(usable: readonly LabelledQuery[]): string[] {
  const inScope = usable.filter(({ expected }) => expected.length > 0);
  const [only, second] = new Set(inScope.map(({ expected }) => expected.toSorted().join(' or ')));
  if (only === undefined || second !== undefined) return [];
  return [
    `Every label that names a capability names ${only}: nothing is known of how others are told apart.`,
  ];
}

function onLanguages(usable: readonly LabelledQuery[]): string[] {
  const [only, second] = new Set(usable.map(({ lang }) => lang));
  if (only === undefined || second !== undefined) return [];
  return [`Every label is in one language (${only}): nothing can be concluded about others.`];
}

function onPayloads(usable: readonly LabelledQuery[]): string[] {
  const withPayload = usable.filter(({ payload }) => Object.keys(payload ?? {}).length > 0).length;
  if (withPayload === 0) return ['No label has a payload: what counts in calls with one stays as it is.'];
  if (withPayload === usable.length)
    return ['Every label has a payload: what counts in calls without one stays as it is.'];
  return [];
}

function onPrecision({ reachesPrecision }: LearnedWeights, precision: number): string[] {
  if (reachesPrecision !== false) return [];
  return [`A precision of ${precision} can be expected at no threshold; the one chosen comes nearest to it.`];
}

/** What notes are made of. */
interface Noted {
  readonly usable: UsableLabels;
  readonly split: LabelSplit;
  readonly learned: LearnedWeights;
  /** That was asked for. */
  readonly precision: number;
}

/** What stands in the way of a conclusion, or was left as it was, in sentences. */
export function notesOf({ usable, split, learned, precision }: Noted): string[] {
  return [
    ...onLeftOut(usable),
    ...onSize(split),
    ...onScope(usable.labels),
    ...onCapabilities(usable.labels),
    ...onLanguages(usable.labels),
    ...onPayloads(usable.labels),
    ...onPrecision(learned, precision),
  ];
}
